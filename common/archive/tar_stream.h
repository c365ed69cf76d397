// A tar archive of a few large files, written and read in order, nothing held in memory. For
// backups; sources of products are packed by pack.h. Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

class TarWriter {
 public:
  // Makes the file (pax format, not compressed) with mode 0600; conflict if it is there already,
  // io_failed.
  static Result<TarWriter> create(const std::filesystem::path& path);
  ~TarWriter();
  TarWriter(TarWriter&&) noexcept;
  TarWriter& operator=(TarWriter&&) = delete;

  // io_failed (a full disk is named), not_found if `source` is gone. A file that shrank meanwhile
  // is io_failed.
  Result<void> add_file(std::string_view name, const std::filesystem::path& source);
  Result<void> add_text(std::string_view name, std::string_view content);
  // Writes the end and syncs. Without it, the archive is cut short.
  Result<void> finish();

 private:
  struct State;
  explicit TarWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The next bytes of the file that is being read, valid until the next call; empty at its end.
using TarBytes = std::function<Result<std::string_view>()>;

using TakeTarFile =
    std::function<Result<void>(const std::string& name, std::int64_t size, const TarBytes& next)>;

// Calls `take` for each regular file, in order, with the bytes; what it leaves unread is passed
// over. Folders are passed over too. Reads tar bare or compressed as unpack.h does.
// invalid_argument for what is no archive, is cut short, or holds something else (links, devices),
// io_failed; an error of `take` ends the reading.
Result<void> read_tar(const std::filesystem::path& path, const TakeTarFile& take);
// The same of bytes that come from elsewhere, such as a tar within a tar; `what` names it.
Result<void> read_tar(const TarBytes& source, const std::string& what, const TakeTarFile& take);

}  // namespace hone
