#include "common/protocol/worker.h"

#include "common/json/pointer.h"
#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr std::size_t kMaxLabels = 32;
constexpr std::size_t kMaxLabelBytes = 63;

std::map<std::string, std::string> read_labels(ObjectReader& reader) {
  std::map<std::string, std::string> labels;
  const Json* object = reader.find("labels");
  if (object == nullptr) {
    return labels;
  }
  if (!object->is_object() || object->size() > kMaxLabels) {
    reader.refuse("labels",
                  "must be an object of at most " + std::to_string(kMaxLabels) + " texts");
    return labels;
  }
  // Its keys are data, so none is unknown.
  ObjectReader nested(*object, child_pointer(reader.pointer(), "labels"), reader.problems(),
                      UnknownKeys::ignore);
  for (const auto& [key, value] : object->items()) {
    if (key.empty() || key.size() > kMaxLabelBytes) {
      nested.refuse(key, "a label's key has 1 to 63 bytes");
      continue;
    }
    labels[key] = nested.text(key, {.min_size = 0, .max_size = kMaxLabelBytes});
  }
  return labels;
}

WorkerView read_worker(ObjectReader& reader) {
  WorkerView worker;
  worker.name = read_name(reader, "name");
  reader.optional_object(
      "machine", [&worker](ObjectReader& machine) { worker.machine = read_machine(machine); });
  worker.labels = read_labels(reader);
  worker.slots = reader.optional_integer("slots", 1, 1024).value_or(1);
  worker.version = text_or_empty(reader, "version", 64);
  worker.last_seen_at = text_or_empty(reader, "last_seen_at", 64);
  worker.current_job = text_or_empty(reader, "current_job", 64);
  return worker;
}

}  // namespace

Json to_json(const WorkerView& worker) {
  return Json{{"name", worker.name},
              {"machine", to_json(worker.machine)},
              {"labels", worker.labels},
              {"slots", worker.slots},
              {"version", null_if_empty(worker.version)},
              {"last_seen_at", null_if_empty(worker.last_seen_at)},
              {"current_job", null_if_empty(worker.current_job)}};
}

Result<WorkerView> parse_worker(const Json& document, UnknownKeys unknown) {
  return parse_document(document, unknown, "worker", read_worker);
}

}  // namespace hone
