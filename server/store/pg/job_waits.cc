#include "server/store/pg/job_waits.h"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"
#include "server/store/pg/worker_kind.h"
#include "server/store/pg/worker_life.h"

namespace hone {
namespace {

// What a queued job's target requires, and which of it some living worker has that takes jobs; a
// row if it requires anything.
const PgStatement kUnmet{"job_unmet",
                         R"sql(
SELECT r.requires,
       coalesce(bool_or(meets_labels(w.labels, r.requires)), false) AS labels,
       coalesce(bool_or(meets_cpu(w.machine, r.requires)), false) AS cpu,
       coalesce(bool_or(meets_llvm(w.llvm, r.requires)), false) AS llvm,
       coalesce(bool_or(meets_memory(w.machine, r.requires)), false) AS memory,
       coalesce(bool_or(r.number = ANY (w.meets)), false) AS together
FROM jobs j
JOIN target_versions v ON v.target = j.target AND v.version = j.target_version
JOIN requirements r ON r.number = v.requirement
LEFT JOIN workers w ON w.drained_at IS NULL AND )sql" +
                             is_there_sql("w") + R"sql(
WHERE j.number = $1
GROUP BY r.number, r.requires)sql",
                         Repeat::safe};

// Workers that are there, of those the ones that take jobs, that may measure this target, and that
// its self-checks have not put out of rotation; and the jobs before it in the order of the queue,
// as far as that is one: lanes of equal priority take turns. To which targets the tokens of workers
// are confined is not looked at.
const PgStatement kWaits{"job_waits",
                         R"sql(
SELECT count(w.number) AS there,
       count(*) FILTER (WHERE w.drained_at IS NULL AND w.number IS NOT NULL) AS taking,
       count(*) FILTER (WHERE w.drained_at IS NULL AND able.fits) AS fitting,
       count(*) FILTER (WHERE w.drained_at IS NULL AND able.fits AND NOT able.is_out) AS ready,
       (SELECT count(*) FROM (
          SELECT FROM jobs q
          WHERE q.state = 'queued' AND q.not_before IS NULL AND -q.priority <= -j.priority
            AND (-q.priority < -j.priority OR q.number < j.number)
          LIMIT $2) AS before) AS ahead
FROM jobs j
JOIN target_versions v ON v.target = j.target AND v.version = j.target_version
LEFT JOIN workers w ON )sql" +
                             is_there_sql("w") +
                             R"sql(
LEFT JOIN LATERAL (
  SELECT w.number IS NOT NULL AND (v.requirement IS NULL OR v.requirement = ANY (w.meets)) AS fits,
         EXISTS (SELECT FROM ()sql" +
                             unfit_targets_sql("w.number") + R"sql() AS u
                 WHERE u.target = j.target AND u.target_version = j.target_version) AS is_out
) AS able ON true
WHERE j.number = $1
GROUP BY j.number, j.priority)sql",
                         Repeat::safe};

// What of the requirements no worker has, for people.
std::vector<std::string> unmet_texts(const PgRow& row) {
  const Json requires_json = row.json("requires");
  std::vector<std::string> unmet;
  const auto note = [&](const char* met, const char* field, const std::string& what) {
    if (!row.truth(met)) {
      unmet.push_back(what + " " + dump_json(requires_json[field]));
    }
  };
  note("labels", "labels", "labels");
  note("cpu", "cpu", "a CPU model with");
  note("llvm", "llvm", "LLVM");
  note("memory", "memory_mib", "memory in MiB of at least");
  if (unmet.empty() && !row.truth("together")) {
    unmet.push_back("all of it in one worker: " + dump_json(requires_json));
  }
  return unmet;
}

std::string workers_text(std::int64_t count) {
  return count == 1 ? "1 worker" : fmt::format("{} workers", count);
}

std::string waits_text(const PgRow& row, const JobView& job) {
  const std::int64_t there = row.integer("there");
  const std::int64_t taking = row.integer("taking");
  const std::int64_t fitting = row.integer("fitting");
  const std::int64_t ready = row.integer("ready");
  if (there == 0) {
    return "no worker is connected";
  }
  if (taking == 0) {
    return workers_text(there) + " connected, all of them drained: none takes a new job";
  }
  if (fitting == 0) {
    return "none of the workers that take jobs fits (" + std::to_string(taking) + " connected)";
  }
  if (ready == 0) {
    return workers_text(fitting) + " fit, all of them out of rotation for target " + job.target +
           " by their self-checks";
  }
  if (!job.not_before.empty()) {
    return "its last attempt failed: tried again at " + job.not_before;
  }
  return "for its turn at " + workers_text(ready);
}

}  // namespace

Async<void> tell_waits(PgPool& pool, std::int64_t number, JobView& job) {
  PgParams wanted;
  wanted.integer(number);
  HONE_CO_TRY(const PgResult unmet, co_await pool.execute(kUnmet, wanted));
  if (!unmet.empty()) {
    job.unmet = unmet_texts(unmet.first());
  }
  wanted.integer(kMostAhead);
  HONE_CO_TRY(const PgResult found, co_await pool.execute(kWaits, std::move(wanted)));
  if (!found.empty()) {
    job.waits = waits_text(found.first(), job);
    job.ahead = found.first().integer("ahead");
  }
  co_return Result<void>();
}

}  // namespace hone
