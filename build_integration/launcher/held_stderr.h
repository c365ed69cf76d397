// A standard error that nobody sees until we say so.
//
// If ours is a terminal, the child gets a pseudo-terminal of the same size, so that colours and
// line widths come out as the compiler would have chosen; else a file in memory. What was held is
// replayed byte for byte, or dropped. Not thread safe.
#pragma once

#include <string>

#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

class HeldStderr {
 public:
  static Result<HeldStderr> create();

  // What becomes descriptor 2 of the child. Close it in the parent with child_started().
  int child_end() const { return child_end_ ? child_end_.get() : memory_file_.get(); }
  void child_started();

  // The descriptor to poll for reading while the child runs; -1 if there is none (memory file).
  int readable() const { return terminal_.get(); }
  // Takes what can be read without waiting.
  void pump();
  // After the child's end: everything that it wrote.
  const std::string& text();
  // Writes the text to our standard error.
  void replay();

 private:
  UniqueFd terminal_;  // master side
  UniqueFd memory_file_;
  UniqueFd child_end_;
  std::string text_;
  bool complete_ = false;
};

}  // namespace hone
