// What a target requires of the worker that measures it. The "requires" of a hone.yaml.
//
// The database decides who meets them (server/store/migrations/0015_queue.sql). Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/object_reader.h"

namespace hone {

using Labels = std::map<std::string, std::string>;

struct Requirements {
  Labels labels{};                   // the worker has all of these, with these values
  std::string cpu{};                 // stands in the worker's CPU model, in capitals or not
  std::vector<std::int64_t> llvm{};  // the worker can tune compiles of all these major versions
  std::int64_t memory_mib = 0;       // of the worker's machine, at least

  bool empty() const { return *this == Requirements(); }
  bool operator==(const Requirements&) const = default;
};

Requirements read_requirements(ObjectReader& reader);
Json to_json(const Requirements& requirements);  // only what is required

// An object of at most 32 texts, keys and values of at most 63 bytes; absent: none.
Labels read_labels(ObjectReader& reader, std::string_view key);
// A list of at most 32 major versions, 1 to 999, ascending and each once in what it gives; absent:
// none.
std::vector<std::int64_t> read_llvm_majors(ObjectReader& reader, std::string_view key);

}  // namespace hone
