// What was made of other people's sources, kept: below $XDG_CACHE_HOME/hone (~/.cache/hone), within
// a size of 2 GiB or HONE_PROGRAM_CACHE_MIB. What was used longest ago goes first.
//
// An entry is a file or a folder, whole or not there. Several processes may share a cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

inline constexpr std::uint64_t kDefaultCacheBytes = std::uint64_t{2} << 30U;

class ProgramCache {
 public:
  ProgramCache(std::filesystem::path folder, std::uint64_t max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}
  // By the environment. invalid_argument for a size that is no number, not_found if neither
  // XDG_CACHE_HOME nor HOME is set.
  static Result<ProgramCache> of_environment();

  // The entry `name` (one of [A-Za-z0-9.+-]); if it is not there, `make` is to make it at the path
  // that it is given (which is not there yet), and others that want one meanwhile wait. Errors of
  // `make`; io_failed.
  Result<std::filesystem::path> get(
      const std::string& name,
      const std::function<Result<void>(const std::filesystem::path&)>& make);

  // Runs `work` while nobody else makes anything in this cache. Its errors; io_failed.
  Result<void> alone(const std::function<Result<void>()>& work);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  // Removes what was used longest ago until the rest is within the size; never `kept`.
  void shrink(const std::filesystem::path& kept) const;

  std::filesystem::path folder_;
  std::uint64_t max_bytes_;
};

}  // namespace hone
