// A staging worker as registered by PUT /v1/workers/{name} and shown by GET.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/json/object_reader.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/self_check.h"

namespace hone {

// That hone-worker may be told to have; the protocol takes a few more.
inline constexpr std::int64_t kMostSlots = 999;

// The last comparison of a target's baseline with itself. Set by honed.
struct WorkerCheck {
  std::string target;
  std::int64_t target_version = 1;
  SelfCheck check;
  std::optional<double> drift;  // ln of the baseline's metric against the check before
  std::string checked_at;       // RFC 3339
  std::string unfit_reason;     // why it gets no job of this target for a while; empty: it does
};
Json to_json(const WorkerCheck& check);
WorkerCheck read_worker_check(ObjectReader& reader);

struct WorkerView {
  std::string name;
  MachineInfo machine;
  std::map<std::string, std::string> labels;
  std::int64_t slots = 1;
  std::string version;             // of the program
  std::vector<std::int64_t> llvm;  // major versions whose compiles it can tune
  std::string drained_at;          // RFC 3339: since when it takes no more jobs; set by honed
  std::string last_seen_at;        // RFC 3339; set by honed
  std::string left_at;             // RFC 3339: since when it is stopped, as it said; set by honed
  bool silent = false;             // not seen lately, though it did not say that it stops; likewise
  std::string current_job;         // set by honed, empty when idle
  std::vector<WorkerCheck> checks;  // by target
};
Json to_json(const WorkerView& worker);
// Whether it is there, and gets jobs if it fits.
bool takes_jobs(const WorkerView& worker);
Result<WorkerView> parse_worker(const Json& document, UnknownKeys unknown);

}  // namespace hone
