// Which options of GCC a decision may set, with which values: the allow-list as data.
//
// A decision for GCC has GCC's own pipeline ("default<O3>") and knobs. A knob is named as the
// option without its dashes, "funroll-loops" with the values true and false (-fno-unroll-loops),
// "fvect-cost-model" with one of its words; a --param by its bare name, "max-unroll-times".
//
// Only options that steer a heuristic. None changes what a correct program computes, the ABI, a
// predefined macro (a precompiled header would be refused), the debug information, floating point,
// or what a stack trace shows; none names a file, loads code or prints. What they may change is
// which of GCC's flow-sensitive warnings appear; the launcher sees to those that are new. Sources:
// GCC 12 manual, "Optimize Options" and `gcc -Q --help=optimizers,params`. Constant data. Thread
// safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/pipelines/action_table.h"

namespace hone {

enum class GccOptionKind : std::uint8_t {
  flag,       // -fNAME for true, -fno-NAME for false
  word,       // -fNAME=WORD, one of `words`
  number,     // -fNAME=N, low <= N <= high
  parameter,  // --param=NAME=N, low <= N <= high
};

struct GccOption {
  std::string_view name;  // as a knob names it
  GccOptionKind kind = GccOptionKind::flag;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::span<const std::string_view> words;
};

// All rows, sorted by name.
std::span<const GccOption> gcc_option_table();

// The majors of GCC that the table was checked against.
bool has_gcc_option_table(int gcc_major);

// Null if there is no such row.
const GccOption* find_gcc_option(std::string_view name);

// invalid_argument names the knob, its value and what would be right.
Result<void> check_gcc_option(std::string_view name, std::string_view value);

// The argument that sets an option, "-fno-unroll-loops". The pair must have passed
// check_gcc_option().
std::string gcc_argument(std::string_view name, std::string_view value);

// The option that an argument of a GCC command sets, under the table's name, whatever its value:
// "funroll-loops" for -funroll-loops and -fno-unroll-loops; "" if the table has none such.
// `parameter` is the text behind --param in an argument of its own.
std::string_view gcc_option_of(std::string_view argument);
std::string_view gcc_option_of_parameter(std::string_view parameter);

}  // namespace hone
