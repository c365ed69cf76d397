// What a run wrote to one place, as far as it takes to compare it with another run's. Plain values,
// thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/result.h"

namespace hone {

enum class OutputKind { standard_output, standard_error, file };

struct WrittenOutput {
  OutputKind kind = OutputKind::standard_output;
  std::string name;    // of a file: its path, relative to the folder it was written in
  std::string sha256;  // of the whole
  std::uint64_t bytes = 0;
  std::string text;  // its first bytes, as many as were to be kept; at most `bytes`
};

// "standard output", "standard error", "file 'out/sum.txt'".
std::string describe(const WrittenOutput& output);

// How much text is kept of one run, all its outputs together.
class KeptText {
 public:
  // The beginning of each, for a message that shows where two outputs differ.
  static KeptText beginning() { return {std::size_t{2} << 20U, std::size_t{1} << 20U, false}; }
  // All of it: to be compared by more than its hash. What is larger is refused.
  static KeptText whole() { return {std::size_t{64} << 20U, std::size_t{64} << 20U, true}; }

  // The part of the next output's `bytes` that is kept. too_large if all must be and cannot.
  Result<std::size_t> take(std::uint64_t bytes);

 private:
  KeptText(std::size_t room, std::size_t of_each, bool all)
      : room_(room), of_each_(of_each), all_(all) {}
  std::size_t room_;
  std::size_t of_each_;
  bool all_;
};

// Reads an open file from its start; `bytes` is its size. too_large if it holds more, or past what
// `kept` allows; io_failed if it cannot be read.
Result<WrittenOutput> read_written(OutputKind kind, std::string name, int file, std::uint64_t bytes,
                                   KeptText& kept);
// The same of text that is at hand.
Result<WrittenOutput> written_text(OutputKind kind, const std::string& text, KeptText& kept);

}  // namespace hone
