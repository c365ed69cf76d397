// YAML text as Json, for files that people write: strict, with the line of every value.
//
// Accepted is what JSON can hold: one document of mappings with text keys, lists and scalars, typed
// by the core schema of YAML 1.2 (so `yes` and `on` are text, and -9 without quotes is a number).
// Refused with the line: duplicate keys, anchors and aliases (a small file could grow without end),
// merge keys, tags of one's own, several documents, .inf and .nan, numbers past 64 bits. Thread
// safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>  // held by value below

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

inline constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 20U;
inline constexpr int kMaxYamlDepth = 32;

struct YamlDocument {
  Json value;
  std::map<std::string, int> lines;  // by JSON Pointer, from 1: where a key or list item stands
};

// invalid_argument "line 7: key \"build\" stands twice (first in line 2)", too_large past
// kMaxYamlBytes.
Result<YamlDocument> parse_yaml(std::string_view text);

// The error with "line N: " before each field's detail; a missing field gets the line of the object
// that lacks it.
Error with_lines(Error error, const YamlDocument& document);

}  // namespace hone
