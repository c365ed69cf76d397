// Unpacks a tar archive that somebody else made, so that nothing lands outside the folder.
//
// Read are tar (ustar, GNU, pax) bare or compressed by gzip, bzip2, xz or zstd. Written are
// folders, regular files, symbolic links that stay inside and hard links to files written before;
// every other kind (devices, FIFOs, sockets) is refused. Folders are entered without following
// links, so that a link made by an earlier entry cannot redirect a later one. Set-user-ID, set-
// group-ID and sticky bits are dropped, times are kept (make compares them). Thread safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "common/base/result.h"

namespace hone {

struct UnpackLimits {
  std::uint64_t entries = 200'000;
  std::uint64_t total_bytes = std::uint64_t{4} << 30U;  // of all files, unpacked
  std::uint64_t file_bytes = std::uint64_t{1} << 30U;   // of one file, holes counted
};

struct Owner {
  uid_t user = 0;
  gid_t group = 0;
};

struct UnpackReport {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

// Unpacks into an existing folder; files of the same name are replaced. With an owner, everything
// written belongs to it (needs root). invalid_argument for what is no archive or holds something
// refused (the message names the entry and says why), too_large past a limit, cancelled, io_failed.
// What was written until then stays: unpack into a fresh folder and remove it on an error.
Result<UnpackReport> unpack_archive(const std::filesystem::path& archive,
                                    const std::filesystem::path& folder,
                                    const UnpackLimits& limits = {},
                                    const std::optional<Owner>& owner = std::nullopt,
                                    const std::stop_token& stop = {});

}  // namespace hone
