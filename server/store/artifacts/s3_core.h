// What the threads of a bucket's pool share. For files of server/store/artifacts.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "server/store/artifacts/s3_artifacts.h"

namespace hone {

// Blocking; thread safe but for the copies, which have a lock. put*: s3_uploads.cc; copies:
// s3_copies.cc.
struct S3Artifacts::Core {
  explicit Core(S3ArtifactsOptions wanted) : options(std::move(wanted)), client(options.s3) {}

  Result<void> put(const std::string& sha256, const std::filesystem::path& file);
  Result<void> put_parts(const std::string& sha256, const std::filesystem::path& file,
                         std::int64_t size);
  Result<void> complete(const std::string& key, const std::string& id,
                        const std::vector<std::string>& etags);
  // -1: not there.
  Result<std::int64_t> size_of(const std::string& sha256);
  Result<std::string> range(const std::string& sha256, std::int64_t offset, std::int64_t size);
  Result<std::filesystem::path> copy(const std::string& sha256);
  Result<void> download(const std::string& sha256, std::int64_t size,
                        const std::filesystem::path& place);
  void make_room(std::int64_t wanted, const std::filesystem::path& keep);

  const S3ArtifactsOptions options;
  S3Client client;
  std::mutex copying;
};

}  // namespace hone
