// A job: measure one candidate of one target against its baseline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json/object_reader.h"
#include "common/policy/policy.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/values.h"

namespace hone {

inline constexpr std::size_t kMaxJobsPerBatch = 1000;

// One entry of the body of POST /v1/jobs: {"jobs":[...]}.
struct JobRequest {
  std::string target;
  std::vector<Rule> rules;
  std::string note;  // for people
  Stage stage = Stage::confirm;
  BaselineKind baseline = BaselineKind::o3;
  std::int64_t priority = 0;      // -100..100, higher first
  std::int64_t max_attempts = 3;  // 1..10
  // From the submission on; a job that is not done by then is dead. 1..31,536,000 (a year).
  std::optional<std::int64_t> deadline_seconds = std::nullopt;
};
Result<std::vector<JobRequest>> parse_job_batch(const Json& document);
Json to_json(const JobRequest& request);

struct AttemptView {
  std::string id;
  std::int64_t number = 0;  // from 1
  std::string worker;
  AttemptState state = AttemptState::leased;
  std::string reason;     // of a failure or expiry
  std::string leased_at;  // RFC 3339
  std::string ended_at;
};

struct JobView {
  std::string id;
  std::string target;
  std::string campaign;   // empty for a job submitted by hand
  std::string candidate;  // id, empty likewise
  std::string origin;     // of the candidate
  std::string note;
  Stage stage = Stage::race;
  BaselineKind baseline = BaselineKind::o3;
  Metric metric = Metric::cpu_time;  // that the target's benchmark is measured by
  JobState state = JobState::queued;
  std::int64_t priority = 0;
  std::int64_t max_attempts = 3;
  bool late = false;               // state dead because its deadline passed: not measured
  std::optional<Outcome> outcome;  // set with state done
  std::string reason;
  std::optional<Verdict> verdict;
  std::optional<RewardEstimate> reward;
  std::string created_at;
  std::string finished_at;
  std::string not_before;          // of a queued job: its last attempt failed, it waits
  std::string deadline;            // empty: none
  std::vector<std::string> unmet;  // of a queued job: what no living worker has; only in GET
                                   // /v1/jobs/{id}
  // Of a queued job, what it waits for, for people, and how many are before it, up to a thousand;
  // only in GET /v1/jobs/{id}, and not from a coordinator of a release before.
  std::string waits;
  std::optional<std::int64_t> ahead;
  std::string trace_id;  // of the trace that it was submitted in, or its campaign; empty if none
  std::vector<AttemptView> attempts;  // only in GET /v1/jobs/{id}
  std::vector<Rule> rules;            // only in GET /v1/jobs/{id}
  std::optional<AttemptResult>
      result;  // only in GET /v1/jobs/{id}, samples left out unless ?samples=1
};
Json to_json(const JobView& view);
Result<JobView> parse_job_view(const Json& document);

}  // namespace hone
