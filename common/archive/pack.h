// Packs a product's source tree into a tar archive whose bytes depend on its content alone.
//
// Entries are sorted by name; owner, times and umask leave no trace (owner 0, one fixed time, modes
// 0644 or 0755). The same tree gives the same bytes with the same libarchive and libzstd, so that
// the archive's hash names the content. Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "common/archive/unpack.h"
#include "common/base/result.h"

namespace hone {

// Which files of a folder are packed.
struct PackSelection {
  std::vector<std::string> exclude{};  // globs on the relative path; these stay out
  // Only these files and links, and the folders that they lie in; absent: all.
  std::optional<std::set<std::string, std::less<>>> only{};
  std::vector<std::string> secrets{};  // globs of those that are packed although they hold one
};

struct LeftSecret {
  std::string name;  // relative
  std::string kind;  // "a private key"
  bool operator==(const LeftSecret&) const = default;
};

struct PackReport {
  std::string sha256;  // of the archive
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;            // of all files, unpacked
  std::vector<std::string> left_out;  // folders and special files, relative; not those of `only`
  std::vector<LeftSecret> secrets;    // left out as well, in the order of their names
};

// Writes tar.zst (or tar.gz, by the name of `archive`) of what is below `folder`, whole or not at
// all. Left out: .git, .hg, .svn; folders that hold a CMakeCache.txt or a .ninja_log, which are
// build folders whatever their name (one called "build" may be source); sockets, FIFOs, devices;
// what the selection leaves out; files that hold a secret (secret_file.h); the archive itself.
// invalid_argument for a symbolic link that leads outside (unpack_archive would refuse it),
// too_large past a limit, not_found, cancelled, io_failed.
Result<PackReport> pack_folder(const std::filesystem::path& folder,
                               const std::filesystem::path& archive,
                               const PackSelection& selection = {}, const UnpackLimits& limits = {},
                               const std::stop_token& stop = {});

}  // namespace hone
