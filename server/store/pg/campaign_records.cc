#include "server/store/pg/campaign_records.h"

#include <nlohmann/json.hpp>

#include "server/store/pg/late_job.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

std::string job_columns(const std::string& job, const std::string& result) {
  const std::string prefix = job + "_";
  return job + ".id AS " + prefix + "id, " + job + ".state AS " + prefix + "state, CASE WHEN " +
         job + ".state = 'done' THEN " + result + ".reason ELSE " + job + ".reason END AS " +
         prefix + "reason, " + is_late_sql(job) + " AS " + prefix + "late, " + result +
         ".outcome AS " + prefix + "outcome, " + result + ".verdict AS " + prefix + "verdict, " +
         reward_columns(result, prefix);
}

std::optional<CandidateJob> read_candidate_job(const PgRow& row, const std::string& prefix) {
  const auto column = [&](const char* name) { return prefix + name; };
  if (row.is_null(column("id").c_str())) {
    return std::nullopt;
  }
  CandidateJob job;
  job.id = row.text(column("id").c_str());
  job.state = row.one_of(column("state").c_str(), parse_job_state);
  job.reason = row.text_or_empty(column("reason").c_str());
  job.late = row.truth(column("late").c_str());
  job.outcome = row.optional_one_of(column("outcome").c_str(), parse_outcome);
  job.verdict = row.optional_one_of(column("verdict").c_str(), parse_verdict);
  job.reward = read_reward(row, prefix);
  return job;
}

}  // namespace

const std::string& select_campaign() {
  static const std::string kSql = R"sql(
SELECT c.number, c.id, t.name AS target, c.state, c.reason, c.baseline, c.seed,
       c.budget_candidates, c.budget_seconds, c.proposing_seconds,
       c.closed_at IS NOT NULL AS closed,
       (SELECT count(*) FROM candidates k WHERE k.campaign = c.number) AS candidates,
       race.finished, race.failed, race.late, race.unfinished,
       best_one.id AS best_candidate, )sql" +
                                  reward_columns("best", "best_") +
                                  ", winner.id AS winner_candidate, " +
                                  reward_columns("confirmed", "confirmed_") + R"sql(,
       c.policy_version, rfc3339(c.deadline) AS deadline, rfc3339(c.created_at) AS created_at,
       rfc3339(c.finished_at) AS finished_at
FROM campaigns c
JOIN targets t ON t.number = c.target
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE j.state = 'done' OR )sql" +
                                  gave_up_sql("j") + R"sql() AS finished,
         count(*) FILTER (WHERE r.outcome <> 'ok' OR )sql" +
                                  gave_up_sql("j") + ") AS failed, count(*) FILTER (WHERE " +
                                  is_late_sql("j") + R"sql() AS late,
         count(*) FILTER (WHERE j.state IN ('queued', 'leased')) AS unfinished,
         -- The highest reward, of several the first job's: with it, once through the jobs is enough.
         max(ARRAY[r.reward, -j.number]) FILTER (WHERE r.reward IS NOT NULL) AS best
  FROM jobs j LEFT JOIN results r ON r.job = j.number
  WHERE j.campaign = c.number AND j.stage = 'race') AS race
LEFT JOIN jobs best_job ON best_job.number = (-race.best[2])::bigint
LEFT JOIN candidates best_one ON best_one.number = best_job.candidate
LEFT JOIN results best ON best.job = best_job.number
LEFT JOIN candidates winner ON winner.number = c.winner
LEFT JOIN jobs last ON last.candidate = c.winner AND last.stage = 'confirm'
LEFT JOIN results confirmed ON confirmed.job = last.number
)sql";
  return kSql;
}

CampaignView read_campaign(const PgRow& row) {
  CampaignView view;
  view.id = row.text("id");
  view.target = row.text("target");
  view.state = row.one_of("state", parse_campaign_state);
  view.reason = row.text("reason");
  view.baseline = row.one_of("baseline", parse_baseline_kind);
  view.seed = row.unsigned_integer("seed");
  view.budget_candidates = row.optional_integer("budget_candidates");
  view.budget_seconds = row.optional_integer("budget_seconds");
  view.proposing_seconds = row.optional_integer("proposing_seconds");
  view.closed = row.truth("closed");
  view.candidates = row.integer("candidates");
  view.finished = row.integer("finished");
  view.failed = row.integer("failed");
  view.late = row.integer("late");
  view.unfinished = row.integer("unfinished");
  view.best_candidate = row.text_or_empty("best_candidate");
  view.best_race = read_reward(row, "best_");
  view.winner_candidate = row.text_or_empty("winner_candidate");
  view.confirmed = read_reward(row, "confirmed_");
  view.policy_version = row.optional_integer("policy_version");
  view.deadline = row.text_or_empty("deadline");
  view.created_at = row.text("created_at");
  view.finished_at = row.text_or_empty("finished_at");
  return view;
}

const std::string& select_candidate() {
  static const std::string kSql =
      "SELECT k.number, k.id, k.index, k.origin, k.note, k.log_propensity, k.rules, s.id AS set, "
      "array_position(c.finalists, k.id) AS finalist, " +
      job_columns("race", "raced") + ", " + job_columns("confirm", "confirmed") + R"sql(
FROM candidates k
JOIN candidate_sets s ON s.number = k.set
JOIN campaigns c ON c.number = k.campaign
LEFT JOIN jobs race ON race.candidate = k.number AND race.stage = 'race'
LEFT JOIN results raced ON raced.job = race.number
LEFT JOIN jobs confirm ON confirm.candidate = k.number AND confirm.stage = 'confirm'
LEFT JOIN results confirmed ON confirmed.job = confirm.number
)sql";
  return kSql;
}

CandidateView read_candidate_view(const PgRow& row) {
  CandidateView view;
  view.candidate.id = row.text("id");
  view.candidate.index = row.integer("index");
  view.candidate.origin = row.text("origin");
  view.candidate.note = row.text("note");
  view.candidate.log_propensity = row.optional_number("log_propensity");
  view.candidate.rules = rules_from_json(row.json("rules"));
  view.set = row.text("set");
  view.race = read_candidate_job(row, "race_");
  view.confirm = read_candidate_job(row, "confirm_");
  view.finalist = row.optional_integer("finalist");
  return view;
}

}  // namespace hone
