#include "server/store/pg/self_checks.h"

#include <nlohmann/json.hpp>

#include "common/base/log.h"
#include "server/store/worker_fitness.h"

namespace hone {
namespace {

const PgStatement kAdd{"self_check_add", R"sql(
INSERT INTO self_checks (attempt, worker, target, target_version, verdict, reward, reward_low,
                         reward_high, reward_confidence, reward_pairs, reward_detectable_effect,
                         reward_noise, baseline_value)
SELECT a.number, a.worker, j.target, j.target_version, $2::verdict, $3, $4, $5, $6, $7, $8, $9, $10
FROM attempts a JOIN jobs j ON j.number = a.job
WHERE a.number = $1)sql",
                       Repeat::unsafe};

// The row stays locked, so that two slots of a worker follow one another. A first check has none;
// two of them at once count as one after the other when they are written.
const PgStatement kBefore{"self_check_before", R"sql(
WITH me AS (
  SELECT a.worker, j.target, j.target_version
  FROM attempts a JOIN jobs j ON j.number = a.job
  WHERE a.number = $1
), known AS (
  SELECT f.bad_in_a_row, f.self_check
  FROM me JOIN worker_fitness f USING (worker, target, target_version)
  FOR UPDATE OF f
)
SELECT known.bad_in_a_row, c.baseline_value,
       EXISTS (SELECT FROM worker_fitness o JOIN self_checks s ON s.attempt = o.self_check
               WHERE o.target = me.target AND o.target_version = me.target_version
                 AND o.worker <> me.worker AND o.bad_in_a_row = 0 AND s.verdict <> 'too_noisy'
                 AND o.checked_at > now() - interval '7 days') AS others_are_fit
FROM me
LEFT JOIN known ON true
LEFT JOIN self_checks c ON c.attempt = known.self_check)sql",
                          Repeat::unsafe};

const PgStatement kUpdate{"self_check_update", R"sql(
INSERT INTO worker_fitness (worker, target, target_version, self_check, checked_at, bad_in_a_row,
                            drift, unfit_reason)
SELECT worker, target, target_version, attempt, checked_at, $2, $3, $4
FROM self_checks WHERE attempt = $1
ON CONFLICT (worker, target, target_version) DO UPDATE
SET self_check = excluded.self_check, checked_at = excluded.checked_at,
    bad_in_a_row = excluded.bad_in_a_row, drift = excluded.drift,
    unfit_reason = excluded.unfit_reason)sql",
                          Repeat::unsafe};

}  // namespace

Async<void> add_self_check(PgTransaction& transaction, const LockedAttempt& attempt,
                           const SelfCheck& check) {
  PgParams row;
  row.integer(attempt.number).text(to_string(check.verdict));
  row.number(check.reward.value).number(check.reward.low).number(check.reward.high);
  row.number(check.reward.confidence).integer(check.reward.pairs);
  row.number(check.reward.detectable_effect).number(check.reward.noise);
  row.number(check.baseline_value);
  HONE_CO_CHECK(co_await transaction.execute(kAdd, std::move(row)));
  PgParams wanted;
  wanted.integer(attempt.number);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kBefore, std::move(wanted)));
  FitnessBefore before;
  const PgRow known = found.first();
  before.others_are_fit = known.truth("others_are_fit");
  if (!known.is_null("bad_in_a_row")) {
    before.bad_in_a_row = known.integer("bad_in_a_row");
    before.baseline_value = known.number("baseline_value");
  }
  const Fitness fitness = fitness_after(check, before);
  PgParams update;
  update.integer(attempt.number).integer(fitness.bad_in_a_row);
  update.number(fitness.drift).text_or_null(fitness.unfit_reason);
  HONE_CO_CHECK(co_await transaction.execute(kUpdate, std::move(update)));
  if (!fitness.unfit_reason.empty()) {
    log_warning(
        "worker_out_of_rotation",
        {{"worker", attempt.worker}, {"job", attempt.job_id}, {"reason", fitness.unfit_reason}});
  }
  co_return Result<void>();
}

}  // namespace hone
