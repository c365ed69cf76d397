// Which -mllvm options a decision may set, with which values: the allow-list as data.
//
// Only knobs that steer a heuristic. None changes what a correct program computes, lets the
// compiler reassociate floating point, writes a file, or prints. Each row was tried on the real
// compiler. Constant data. Thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/result.h"
#include "common/pipelines/action_table.h"

namespace hone {

enum class KnobKind : std::uint8_t {
  integer,  // decimal, low <= value <= high, no leading zeros or '+'
  flag,     // "true" or "false"
};

struct KnobEntry {
  std::string_view name;  // without dashes
  KnobKind kind = KnobKind::integer;
  std::int64_t low = 0;
  std::int64_t high = 0;
  MajorRange majors;
  std::string_view meaning;  // what it steers, for people
  // Values worth trying in a search, the compiler's default left out.
  std::span<const std::string_view> candidates;
};

// All rows, sorted by name.
std::span<const KnobEntry> knob_table();

// The row of a knob for a major, or null.
const KnobEntry* find_knob(std::string_view name, int llvm_major);

// Whether -mllvm -name=value may be set: invalid_argument names the knob and the allowed values.
Result<void> check_knob(std::string_view name, std::string_view value, int llvm_major);

}  // namespace hone
