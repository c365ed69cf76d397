#include "server/store/experience_store.h"

#include <map>

#include <nlohmann/json.hpp>

#include "server/store/pg/job_records.h"
#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

// pg_snapshot_xmin: every transaction below it is over. Rows of those at or above it wait.
const PgStatement kRead{"experience_read", std::string("SELECT ") + kRewardColumns + R"sql(,
       e.transaction, e.number, e.id, e.source, e.attempt AS attempt_number, t.name AS target,
       j.target_version, j.id AS job, a.id AS attempt, c.id AS campaign, s.id AS candidate_set,
       k.id AS candidate, coalesce(k.index, 0) AS candidate_index, k.log_propensity, j.stage,
       j.baseline, r.outcome, r.reason, r.verdict, reused.id AS reused_attempt, r.machine, r.compiler,
       rfc3339(e.created_at) AS created_at
FROM experiences e
JOIN results r ON r.attempt = e.attempt
JOIN attempts a ON a.number = r.attempt
JOIN jobs j ON j.number = r.job
JOIN targets t ON t.number = j.target
LEFT JOIN campaigns c ON c.number = j.campaign
LEFT JOIN candidates k ON k.number = j.candidate
LEFT JOIN candidate_sets s ON s.number = k.set
LEFT JOIN attempts reused ON reused.number = r.reused_attempt
WHERE (e.transaction, e.number) > ($1::text::xid8, $2::bigint)
  AND e.transaction < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY e.transaction, e.number
LIMIT $3)sql",
                        Repeat::safe};

const PgStatement kDecisions{"experience_decisions", R"sql(
SELECT d.attempt, d.source, d.output, s.state_id, d.pipeline_hash, d.tuned, d.meant, d.reason,
       d.log_propensity
FROM decisions d LEFT JOIN states s ON s.number = d.state
WHERE d.attempt = ANY ($1::bigint[]) ORDER BY d.attempt, d.number)sql",
                             Repeat::safe};

Experience read_experience(const PgRow& row) {
  Experience experience;
  experience.id = row.text("id");
  experience.source = row.one_of("source", parse_experience_source);
  experience.target = row.text("target");
  experience.target_version = row.integer("target_version");
  experience.job = row.text("job");
  experience.attempt = row.text("attempt");
  experience.campaign = row.text_or_empty("campaign");
  experience.candidate_set = row.text_or_empty("candidate_set");
  experience.candidate = row.text_or_empty("candidate");
  experience.candidate_index = row.integer("candidate_index");
  experience.log_propensity = row.optional_number("log_propensity");
  experience.stage = row.one_of("stage", parse_stage);
  experience.baseline = row.one_of("baseline", parse_baseline_kind);
  experience.outcome = row.one_of("outcome", parse_outcome);
  experience.reason = row.text("reason");
  experience.verdict = row.optional_one_of("verdict", parse_verdict);
  experience.reward = read_reward(row);
  experience.reused_attempt = row.text_or_empty("reused_attempt");
  experience.machine = machine_from_json(row.json("machine"));
  experience.compiler = row.text("compiler");
  experience.created_at = row.text("created_at");
  return experience;
}

}  // namespace

Async<Page<Experience>> ExperienceStore::read(PageRequest page) {
  HONE_CO_CHECK(check_limit(page));
  HONE_CO_TRY(const StreamCursor after, parse_stream_cursor(page.cursor, "/after"));
  PgParams wanted;
  wanted.unsigned_integer(after.transaction).integer(after.number).integer(page.limit);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kRead, std::move(wanted)));
  Page<Experience> list;
  list.next_cursor = page.cursor;
  std::vector<std::int64_t> attempts;
  std::map<std::int64_t, std::size_t> place;
  for (int i = 0; i < found.size(); ++i) {
    const PgRow row = found.row(i);
    attempts.push_back(row.integer("attempt_number"));
    place[attempts.back()] = list.items.size();
    list.items.push_back(read_experience(row));
    list.next_cursor = to_text(read_stream_cursor(row));
  }
  if (attempts.empty()) {
    co_return list;
  }
  PgParams numbers;
  numbers.integer_array(attempts);
  HONE_CO_TRY(const PgResult decisions, co_await pool_.execute(kDecisions, std::move(numbers)));
  for (int i = 0; i < decisions.size(); ++i) {
    const PgRow row = decisions.row(i);
    list.items[place[row.integer("attempt")]].decisions.push_back(read_decision(row));
  }
  co_return list;
}

}  // namespace hone
