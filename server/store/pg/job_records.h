// Jobs as they are read: the columns of a JobView, and of the AttemptResult behind it.
#pragma once

#include <string>

#include "common/protocol/job.h"
#include "server/store/pg/pg_result.h"

namespace hone {

// SELECT ... FROM jobs j and what belongs to it (t target, v its version, c campaign, k candidate,
// r result);
// append conditions.
inline constexpr const char* kSelectJob = R"sql(
SELECT j.number, j.id, t.name AS target, c.id AS campaign, k.id AS candidate, k.origin,
       coalesce(k.note, j.note) AS note, j.stage, j.baseline,
       coalesce(v.spec #>> '{benchmark,metric,metric}', 'cpu_time') AS metric,
       j.state, j.state = 'dead' AND coalesce(j.deadline <= j.finished_at, false) AS late,
       j.priority, j.max_attempts,
       r.outcome, CASE WHEN j.state = 'done' THEN r.reason ELSE j.reason END AS reason, r.verdict,
       r.reward, r.reward_low, r.reward_high, r.reward_confidence, r.reward_pairs,
       r.reward_detectable_effect, r.reward_noise,
       rfc3339(j.created_at) AS created_at, rfc3339(j.finished_at) AS finished_at,
       CASE WHEN j.state = 'queued' THEN rfc3339(j.not_before) END AS not_before,
       rfc3339(j.deadline) AS deadline,
       substr(coalesce(j.traceparent, c.traceparent), 4, 32) AS trace_id
FROM jobs j
JOIN targets t ON t.number = j.target
JOIN target_versions v ON v.target = j.target AND v.version = j.target_version
LEFT JOIN campaigns c ON c.number = j.campaign
LEFT JOIN candidates k ON k.number = j.candidate
LEFT JOIN results r ON r.job = j.number
)sql";

// Without attempts, rules and result.
JobView read_job(const PgRow& row);
AttemptView read_attempt(const PgRow& row);
// Without samples, decisions and binaries.
AttemptResult read_result(const PgRow& row);
Sample read_sample(const PgRow& row);
// source, output, state_id, pipeline_hash, tuned, meant, reason, log_propensity
EffectiveDecision read_decision(const PgRow& row);
BinaryInfo read_binary(const PgRow& row);

}  // namespace hone
