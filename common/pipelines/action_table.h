// Which passes a pipeline may hold, with which parameters and where: the allow-list as data.
//
// One row per pass, level and range of LLVM majors. A pass without a row is refused; for those that
// LLVM knows and we exclude, exclusion_reason() says why. The rows describe LLVM 14, 15, 16 and 19
// and are checked against the real opt of each by a test. Constant data, no initialisation at
// start-up. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/pipelines/forest.h"

namespace hone {

// Where a pass stands. Deeper levels are reached by adaptors only: module > cgscc > function >
// loop. loop_mssa is the body of loop-mssa(...), which keeps MemorySSA; plain loop(...) does not.
enum class PassLevel : std::uint8_t { module, cgscc, function, loop, loop_mssa };

enum class PassSafety : std::uint8_t {
  searchable,  // mutation may insert, remove and change it
  fixed,       // accepted, but mutation never inserts, removes or moves it: `reason` says why
};

std::string_view to_string(PassLevel level);
std::string_view to_string(PassSafety safety);

// LLVM majors, both ends included.
struct MajorRange {
  int first = 0;
  int last = 0;
  constexpr bool holds(int major) const { return first <= major && major <= last; }
};

enum class OptionKind : std::uint8_t {
  text,    // exactly `name`
  flag,    // `name` or "no-" + name
  number,  // name=N with low <= N <= high, decimal
};
std::string_view to_string(OptionKind kind);

// One of the ';'-separated options between '<' and '>'.
struct PassOption {
  OptionKind kind = OptionKind::text;
  std::string_view name;
  int low = 0;
  int high = 0;
};

struct PassEntry {
  std::string_view name;
  PassLevel level = PassLevel::module;
  PassSafety safety = PassSafety::fixed;
  MajorRange majors;
  std::string_view reason;  // why it is fixed, for people; empty for searchable ones
  // Allowed whole parameter texts; "" stands for none.
  std::span<const std::string_view> texts;
  // Options that may be combined freely, each at most once; none of them is fine too.
  // A row with neither texts nor options takes no parameters.
  std::span<const PassOption> options;
  // An option that must be there ("no-verify-fixpoint" of instcombine); empty: none.
  std::string_view required_option;
  // A loop pass that is as good with MemorySSA: legal in loop(...) and loop-mssa(...).
  bool either_loop_level = false;
  // Runs a whole pipeline of other passes: an action space offers it beside default<O3>.
  bool whole_pipeline = false;
};

// All rows, sorted by name, then level.
std::span<const PassEntry> pass_table();

// The row of a pass for a major where `level` passes stand, or null.
const PassEntry* find_pass(std::string_view name, PassLevel level, int llvm_major);

// Why a pass that LLVM knows is not allowed, for people; empty if it is allowed or unknown.
std::string_view exclusion_reason(std::string_view name);

// Whether the table has rows for a major at all.
bool has_pass_table(int llvm_major);

// Whether `parameters` (absent: nullopt) is an allowed spelling; invalid_argument says what is
// wrong.
Result<void> check_parameters(const PassEntry& entry, const std::optional<std::string>& parameters);

// At most this many default<...> nodes: each is a whole pipeline.
inline constexpr int kMaxDefaultNodes = 2;

// Every node known, allowed, at a legal level, with allowed parameters. Levels must be written out:
// "function(sroa)", not "sroa". An empty forest is refused: it would mean -O0 code generation for
// code that was asked to be optimised. `default<O3>` (any level of O1 O2 O3 Os Oz) is a module
// node. invalid_argument names the pass, its position among the adaptors ("function(loop(licm))")
// and why; unsupported if there is no table for the major.
Result<void> check_pipeline(const Forest& forest, int llvm_major);

}  // namespace hone
