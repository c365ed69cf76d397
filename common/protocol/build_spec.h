// How a target's product is built: the "build" of a hone.yaml. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json/object_reader.h"
#include "common/protocol/commands.h"

namespace hone {

struct CMakeSpec {
  std::string source = ".";          // folder of CMakeLists.txt, relative to the source
  std::vector<std::string> options;  // further arguments of the configure step (-DNAME=value)
  std::vector<std::string> targets;  // empty: all
  bool operator==(const CMakeSpec&) const = default;
};

struct BuildSpec {
  std::optional<CMakeSpec> cmake;     // run first, when given
  std::vector<Arguments> commands;    // run in order in the build folder, after cmake
  std::vector<std::string> binaries;  // files that make up the result, relative to {build}; hashed
  std::int64_t timeout_seconds = 1800;
  std::int64_t memory_mib = 8192;  // address space of each process
  bool operator==(const BuildSpec&) const = default;
};

BuildSpec read_build(ObjectReader& reader);
Json to_json(const BuildSpec& build);

}  // namespace hone
