#include "common/protocol/requirements.h"

#include <algorithm>

#include "common/json/pointer.h"
#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr std::size_t kMaxLabels = 32;
constexpr std::size_t kMaxLabelBytes = 63;
constexpr std::size_t kMaxMajors = 32;
constexpr std::int64_t kHighestMajor = 999;

}  // namespace

Labels read_labels(ObjectReader& reader, std::string_view key) {
  Labels labels;
  const Json* object = reader.find(key);
  if (object == nullptr) {
    return labels;
  }
  if (!object->is_object() || object->size() > kMaxLabels) {
    reader.refuse(key, "must be an object of at most " + std::to_string(kMaxLabels) + " texts");
    return labels;
  }
  // Its keys are data, so none is unknown.
  ObjectReader nested(*object, child_pointer(reader.pointer(), key), reader.problems(),
                      UnknownKeys::ignore);
  for (const auto& [name, value] : object->items()) {
    if (name.empty() || name.size() > kMaxLabelBytes || name.find('\0') != std::string::npos) {
      nested.refuse(name, "a label's key has 1 to 63 bytes, none of them NUL");
      continue;
    }
    labels[name] = nested.text(name, {.min_size = 0, .max_size = kMaxLabelBytes});
  }
  return labels;
}

std::vector<std::int64_t> read_llvm_majors(ObjectReader& reader, std::string_view key) {
  std::vector<std::int64_t> majors;
  const Json* list = reader.find(key);
  if (list == nullptr) {
    return majors;
  }
  const auto is_major = [](const Json& item) {
    return item.is_number_integer() && item >= 1 && item <= kHighestMajor;
  };
  if (!list->is_array() || list->size() > kMaxMajors || !std::ranges::all_of(*list, is_major)) {
    reader.refuse(key, "must be a list of at most " + std::to_string(kMaxMajors) +
                           " major versions, such as [19]");
    return majors;
  }
  for (const Json& major : *list) {
    majors.push_back(major.get<std::int64_t>());
  }
  std::ranges::sort(majors);
  const auto repeated = std::ranges::unique(majors);
  majors.erase(repeated.begin(), repeated.end());
  return majors;
}

Requirements read_requirements(ObjectReader& reader) {
  Requirements requirements;
  requirements.labels = read_labels(reader, "labels");
  requirements.cpu = reader.optional_text("cpu", {.max_size = 200}).value_or("");
  requirements.llvm = read_llvm_majors(reader, "llvm");
  requirements.memory_mib =
      reader.optional_integer("memory_mib", 1, std::int64_t{1} << 30U).value_or(0);
  return requirements;
}

Json to_json(const Requirements& requirements) {
  Json document = Json::object();
  if (!requirements.labels.empty()) {
    document["labels"] = requirements.labels;
  }
  if (!requirements.cpu.empty()) {
    document["cpu"] = requirements.cpu;
  }
  if (!requirements.llvm.empty()) {
    document["llvm"] = requirements.llvm;
  }
  if (requirements.memory_mib > 0) {
    document["memory_mib"] = requirements.memory_mib;
  }
  return document;
}

}  // namespace hone
