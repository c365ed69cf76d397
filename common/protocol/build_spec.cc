#include "common/protocol/build_spec.h"

#include <cstddef>
#include <utility>

#include "common/json/pointer.h"
#include "common/protocol/fields.h"
#include "common/protocol/names.h"

namespace hone {
namespace {

constexpr std::size_t kMaxBinaries = 64;

CMakeSpec read_cmake(ObjectReader& reader) {
  CMakeSpec cmake;
  cmake.source = reader.optional_text("source").value_or(".");
  check_relative_path(reader, "source", cmake.source);
  cmake.options = reader.text_list("options", kMaxCommandArguments, {.max_size = 8192});
  cmake.targets = reader.text_list("targets", kMaxCommandArguments, {.max_size = 256});
  for (const std::string& target : cmake.targets) {
    if (target.starts_with('-')) {
      reader.refuse("targets", "\"" + target + "\" is an option, not a target");
    }
  }
  return cmake;
}

}  // namespace

BuildSpec read_build(ObjectReader& reader) {
  BuildSpec build;
  reader.optional_object("cmake",
                         [&build](ObjectReader& cmake) { build.cmake = read_cmake(cmake); });
  build.commands = read_commands(reader, "commands");
  const Json* const commands = reader.find("commands");
  const bool none = commands == nullptr || (commands->is_array() && commands->empty());
  if (!build.cmake && none) {
    reader.refuse("commands", "is missing: a build needs \"cmake\", \"commands\" or both");
  }
  build.binaries = reader.text_list("binaries", kMaxBinaries, {.max_size = 1024});
  if (build.binaries.empty() && !reader.has("binaries")) {
    reader.refuse("binaries", "is missing: the files that make up the result, below {build}");
  }
  for (std::size_t i = 0; i < build.binaries.size(); ++i) {
    if (!is_safe_relative_path(build.binaries[i])) {
      reader.problems().add(
          child_pointer(child_pointer(reader.pointer(), "binaries"), std::to_string(i)),
          "must be a relative path without \"..\", not \"" + build.binaries[i] + "\"");
    }
  }
  build.timeout_seconds =
      reader.optional_integer("timeout_seconds", 1, 86400).value_or(build.timeout_seconds);
  build.memory_mib = reader.optional_integer("memory_mib", 16, 1 << 20).value_or(build.memory_mib);
  return build;
}

Json to_json(const BuildSpec& build) {
  Json cmake;
  if (build.cmake) {
    cmake = Json{{"source", build.cmake->source},
                 {"options", build.cmake->options},
                 {"targets", build.cmake->targets}};
  }
  return Json{{"cmake", std::move(cmake)},
              {"commands", build.commands},
              {"binaries", build.binaries},
              {"timeout_seconds", build.timeout_seconds},
              {"memory_mib", build.memory_mib}};
}

}  // namespace hone
