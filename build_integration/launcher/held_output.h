// What a child writes to standard output and error, seen by nobody until we say so.
//
// Where ours is a terminal, the child gets a pseudo-terminal of the same size, so that colours and
// line widths come out as the compiler would have chosen; else a pipe. What was held is replayed
// byte for byte, or dropped. Not thread safe.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

// One of the two.
class HeldOutput {
 public:
  // In place of `descriptor` (1 or 2), which must be open. io_failed without descriptors to be had.
  static Result<HeldOutput> create(int descriptor);

  // What becomes the child's descriptor. Close it in the parent with child_started().
  int child_end() const { return child_end_.get(); }
  void child_started() { child_end_.reset(); }

  // The descriptor to poll for reading while the child runs; -1 once nobody can write any more.
  int readable() const { return source_.get(); }
  // Takes what can be read without waiting.
  void pump();
  // Whether it is more than is held (64 MiB): what is there is not all, and no more is read.
  bool is_too_much() const { return too_much_; }
  const std::string& text() const { return text_; }
  // Writes the text to our descriptor, waiting where that is full. io_failed: not all was written;
  // never ends this process by SIGPIPE.
  Result<void> replay() const;

 private:
  explicit HeldOutput(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
  UniqueFd source_;  // a terminal's master side, or a pipe's reading end
  UniqueFd child_end_;
  std::string text_;
  bool too_much_ = false;
};

// Both outputs of one child. Where they are the same file, pipe or terminal, they are held as one,
// so that their order stays. A standard output that is closed stays so.
class HeldOutputs {
 public:
  // unavailable if standard error is closed: there would be nothing to hold; else as HeldOutput.
  static Result<HeldOutputs> create();

  // In the child: puts them in their places. Whether that was done.
  bool become_standard() const;
  void child_started();

  std::array<int, 2> readable() const;
  void pump();
  bool is_too_much() const;
  // What was written to standard error, all of it after the child's end and pump().
  const std::string& messages() const { return error_.text(); }
  Result<void> replay() const;

 private:
  explicit HeldOutputs(HeldOutput error) : error_(std::move(error)) {}

  HeldOutput error_;
  std::optional<HeldOutput> output_;
  bool is_one_ = false;
};

}  // namespace hone
