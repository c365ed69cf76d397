// What a subprocess reads and writes, as its owner holds it. For run() in subprocess.cc alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/file.h"
#include "common/base/result.h"

namespace hone {

// The system's error as this machine's trouble: unavailable.
Error machine_error(std::string_view what, int errno_value);

// open(2) that never returns 0, 1 or 2, so that dup2 onto those cannot destroy a source.
// unavailable, with the path.
Result<UniqueFd> open_above_two(const std::filesystem::path& path, int flags);

// A stream of the program: a file it writes itself, or a pipe whose reading end we keep.
struct ProgramStream {
  UniqueFd theirs;
  UniqueFd ours;
  std::string* text = nullptr;
  std::uint64_t* dropped = nullptr;

  // The file is created or truncated; empty: a pipe. Both texts must outlive the stream.
  // unavailable.
  static Result<ProgramStream> open(const std::filesystem::path& file, std::string& text,
                                    std::uint64_t& dropped);

  // Takes what the pipe holds now, without waiting: up to `limit` bytes of text in all, the rest is
  // counted. Closes our end at the end of the stream.
  void drain(std::size_t limit);
};

}  // namespace hone
