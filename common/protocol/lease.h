// Leases: a worker's claim on a job, kept alive by heartbeats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/json/object_reader.h"
#include "common/policy/policy.h"
#include "common/protocol/access.h"
#include "common/protocol/target_spec.h"
#include "common/protocol/values.h"

namespace hone {

// Version of the messages between honed and hone-worker. A peer ignores fields it does not know; a
// major change gets another number, and both sides name what they speak.
inline constexpr std::int64_t kMessageVersion = 1;

// Candidates that one slot of a worker may race in one heat, each with a lease of its own. So a
// worker holds no more than its slots times this many leases.
inline constexpr std::int64_t kLargestHeat = 64;

// Body of POST /v1/leases. Answered by 200 with a Lease, or 204 when nothing came within
// wait_seconds.
struct LeaseRequest {
  std::int64_t version = kMessageVersion;
  std::string worker;              // the worker's registered name
  std::int64_t wait_seconds = 20;  // 0..60
  // An attempt whose lease this token holds, or empty. With it the answer comes at once: another
  // race job of the same campaign, version of the target and baseline, to be raced beside it, or
  // 204. A peer that does not know the field may lease any job.
  std::string beside;
};
Result<LeaseRequest> parse_lease_request(const Json& document);
Json to_json(const LeaseRequest& request);

struct Lease {
  std::int64_t version = kMessageVersion;
  std::string attempt;  // id; also the lease's id in /v1/leases/{id}/...
  std::int64_t attempt_number = 1;
  std::string job;
  std::string campaign;  // id; empty for a job by itself, which nothing can be raced beside
  std::int64_t ttl_seconds = 60;  // heartbeat at least every third of it
  TargetSpec target;
  Stage stage = Stage::race;
  BaselineKind baseline = BaselineKind::o3;
  std::uint64_t seed = 1;  // for the order of pairs; fresh for every attempt
  std::vector<Rule> rules;
  // Whose leavings on this worker it may find, and who finds its own (worker/build/workspace_pool).
  TrustLevel trust = TrustLevel::guest;
  // Compare the baseline with itself first, and say what came of it (AttemptResult::self_check).
  bool self_check = false;
  // Find out where the baseline's time goes, and say so (AttemptResult::profile).
  bool profile = false;
  // Of whoever submitted the job or its campaign, to go on from (W3C Trace Context); empty if none.
  std::string traceparent;
};
Json to_json(const Lease& lease);
Result<Lease> parse_lease(const Json& document);

// Answer to a heartbeat.
struct HeartbeatReply {
  std::int64_t ttl_seconds = 60;
  bool cancelled = false;  // stop and report outcome cancelled
};
Json to_json(const HeartbeatReply& reply);
Result<HeartbeatReply> parse_heartbeat_reply(const Json& document);

// Body of POST /v1/leases/{attempt}/fail: the worker hands the job back without a result.
struct HandBack {
  std::string reason;
  bool count_attempt = true;  // false: a clean hand-back (Ctrl-C), not held against the job
};
Json to_json(const HandBack& hand_back);
Result<HandBack> parse_hand_back(const Json& document);

}  // namespace hone
