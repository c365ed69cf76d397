// A named pipe that many processes write lines to, one after the other or at once, and whose lines
// are read as they come. It is a file with a name since programs close descriptors that they do not
// know, and no plain file since what runs in a sandbox must not be able to fill a disk.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

class LogPipe {
 public:
  // Makes the pipe, in place of what is there; whoever can reach it may write. Calls `take` with
  // each line, without its end, from a thread of its own; of a line that is longer than a kernel
  // writes in one piece, the rest is dropped. io_failed.
  static Result<LogPipe> open(const std::filesystem::path& path,
                              std::function<void(std::string_view)> take);
  ~LogPipe();
  LogPipe(LogPipe&&) noexcept;
  LogPipe& operator=(LogPipe&&) = delete;
  LogPipe(const LogPipe&) = delete;

  // After the last writer has ended: takes what is left, and removes the pipe. `take` is not called
  // any more.
  void close();

 private:
  class Reader;
  LogPipe(std::filesystem::path path, std::unique_ptr<Reader> reader);

  std::filesystem::path path_;
  std::unique_ptr<Reader> reader_;
};

}  // namespace hone
