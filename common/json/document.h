// JSON text in and out, strictly: limits on size and depth, no duplicate keys, no NaN, nothing
// after the document. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "common/base/result.h"

namespace hone {

using Json = nlohmann::json;

// Seeds and other 64-bit numbers stay below 2^53, which every JSON reader holds exactly.
inline constexpr std::int64_t kMaxExactInteger = (std::int64_t{1} << 53U) - 1;

struct JsonLimits {
  std::size_t bytes = std::size_t{16} << 20U;
  int depth = 64;
};

// One JSON document. too_large past the byte limit; invalid_argument with the position otherwise:
// malformed text, a duplicate key (named by its pointer), too deep, bytes that are not UTF-8, a
// number that overflows a double.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// Whether a text or a key anywhere in the document holds a NUL character. JSON may; what PostgreSQL
// keeps as JSON can then not be asked for it.
bool holds_nul(const Json& document);

// Compact text with sorted keys; equal documents give equal bytes. Doubles are printed so that they
// read back the same. Bytes that are not UTF-8 are replaced by U+FFFD.
std::string dump_json(const Json& document);
// The same indented by two spaces, for people: what a terminal would obey is escaped
// (common/base/printable.h).
std::string dump_json_pretty(const Json& document);

}  // namespace hone
