#include "common/protocol/worker.h"

#include "common/protocol/fields.h"
#include "common/protocol/requirements.h"

namespace hone {
namespace {

constexpr std::size_t kMaxChecks = 10'000;

WorkerView read_worker(ObjectReader& reader) {
  WorkerView worker;
  worker.name = read_name(reader, "name");
  reader.optional_object(
      "machine", [&worker](ObjectReader& machine) { worker.machine = read_machine(machine); });
  worker.labels = read_labels(reader, "labels");
  worker.slots = reader.optional_integer("slots", 1, 1024).value_or(1);
  worker.version = text_or_empty(reader, "version", 64);
  worker.llvm = read_llvm_majors(reader, "llvm");
  worker.drained_at = text_or_empty(reader, "drained_at", 64);
  worker.last_seen_at = text_or_empty(reader, "last_seen_at", 64);
  worker.left_at = text_or_empty(reader, "left_at", 64);
  worker.silent = reader.optional_truth("silent").value_or(false);
  worker.current_job = text_or_empty(reader, "current_job", 64);
  reader.each("checks", kMaxChecks, [&worker](ObjectReader& check) {
    worker.checks.push_back(read_worker_check(check));
  });
  return worker;
}

}  // namespace

WorkerCheck read_worker_check(ObjectReader& reader) {
  WorkerCheck check;
  check.target = read_name(reader, "target");
  check.target_version = reader.integer("target_version", 1, kMaxExactInteger);
  check.check = read_self_check(reader);
  check.drift = read_optional_measured(reader, "drift", -kHuge, kHuge);
  check.checked_at = text_or_empty(reader, "checked_at", 64);
  check.unfit_reason = text_or_empty(reader, "unfit_reason", kMaxReasonBytes);
  return check;
}

Json to_json(const WorkerCheck& check) {
  Json document = to_json(check.check);
  document["target"] = check.target;
  document["target_version"] = check.target_version;
  document["drift"] = check.drift ? Json(*check.drift) : Json();
  document["checked_at"] = check.checked_at;
  document["unfit_reason"] = null_if_empty(check.unfit_reason);
  return document;
}

Json to_json(const WorkerView& worker) {
  return Json{{"name", worker.name},
              {"machine", to_json(worker.machine)},
              {"labels", worker.labels},
              {"slots", worker.slots},
              {"version", null_if_empty(worker.version)},
              {"llvm", worker.llvm},
              {"drained_at", null_if_empty(worker.drained_at)},
              {"last_seen_at", null_if_empty(worker.last_seen_at)},
              {"left_at", null_if_empty(worker.left_at)},
              {"silent", worker.silent},
              {"current_job", null_if_empty(worker.current_job)},
              {"checks", list_to_json(worker.checks)}};
}

bool takes_jobs(const WorkerView& worker) {
  return worker.left_at.empty() && worker.drained_at.empty() && !worker.silent;
}

Result<WorkerView> parse_worker(const Json& document, UnknownKeys unknown) {
  return parse_document(document, unknown, "worker", read_worker);
}

}  // namespace hone
