// A staging worker as registered by PUT /v1/workers/{name} and shown by GET.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/json/object_reader.h"
#include "common/protocol/attempt_result.h"

namespace hone {

struct WorkerView {
  std::string name;
  MachineInfo machine;
  std::map<std::string, std::string> labels;
  std::int64_t slots = 1;
  std::string version;       // of the program
  std::string last_seen_at;  // RFC 3339; set by honed
  std::string current_job;   // set by honed, empty when idle
};
Json to_json(const WorkerView& worker);
Result<WorkerView> parse_worker(const Json& document, UnknownKeys unknown);

}  // namespace hone
