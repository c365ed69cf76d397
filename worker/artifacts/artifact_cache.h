// Source archives by their SHA-256, kept below a number of bytes; the longest unused go first.
// Thread safe: one use at a time, so that nobody unpacks what another evicts; the wait for
// another's use ends with a stop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

#include "common/base/result.h"

namespace hone {

// Where artifacts come from; honed, or a folder in a test.
class ArtifactSource {
 public:
  virtual ~ArtifactSource() = default;
  // Writes the artifact to `path`, whole and with its hash checked, or not at all. too_large past
  // `limit` bytes; other errors as the transport has them.
  virtual Result<void> download(const std::string& sha256, const std::filesystem::path& path,
                                std::uint64_t limit, const std::stop_token& stop) = 0;
};

class ArtifactCache {
 public:
  // The folder exists and is ours alone.
  ArtifactCache(std::filesystem::path folder, std::uint64_t max_bytes, ArtifactSource& source)
      : folder_(std::move(folder)), max_bytes_(max_bytes), source_(source) {}

  // Calls `use` with the artifact's file, downloaded first if need be; its result is ours. A file
  // whose hash is no longer right is downloaded again. invalid_argument for what is no hash,
  // cancelled if the stop came while another used the cache or the file was read, unavailable for
  // what is larger than the cache may be.
  Result<void> with(const std::string& sha256, const std::stop_token& stop,
                    const std::function<Result<void>(const std::filesystem::path&)>& use);

 private:
  Result<void> download(const std::string& sha256, const std::filesystem::path& file,
                        const std::stop_token& stop);
  void make_room(const std::filesystem::path& keep);

  const std::filesystem::path folder_;
  const std::uint64_t max_bytes_;
  ArtifactSource& source_;
  std::timed_mutex mutex_;
};

}  // namespace hone
