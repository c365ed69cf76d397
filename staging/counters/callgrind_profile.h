// What callgrind counted of one process, function by function, as its output file tells
// (valgrind 3.19, "Callgrind Format Specification" in its manual; written with
// --compress-strings=no --compress-pos=no), and which source files that was. Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/base/result.h"

namespace hone {

class CallgrindProfile {
 public:
  // invalid_argument, naming the line, for a text that is no such file; too_large past 1e6
  // functions and calls.
  static Result<CallgrindProfile> parse(std::string_view text);

  // All instructions.
  std::uint64_t total() const { return total_; }

  // Instructions of functions in objects below `objects`, by the source file that each function is
  // attributed to: `source_of` names it for the file that the function's code stands in, or gives
  // "" for a file that is compiled as a part of others (a header). Such a function's instructions
  // are attributed to its callers, in proportion to what they spent in it, and so on; what reaches
  // no source file in 16 steps is left out.
  std::map<std::string, double> by_source(
      const std::filesystem::path& objects,
      const std::function<std::string(const std::string& file)>& source_of) const;

 private:
  struct Function {
    std::string object;
    std::string file;
    std::uint64_t own = 0;
  };
  struct Call {
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint64_t inclusive = 0;
  };
  friend class CallgrindReader;

  std::vector<Function> functions_;
  std::vector<Call> calls_;
  std::uint64_t total_ = 0;
};

}  // namespace hone
