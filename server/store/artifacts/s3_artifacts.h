// Artifacts in a bucket of an S3-compatible service: PREFIX/ab/abcdef....
//
// Complete files are sent in one PUT, large ones in parts; reads are made of ranges of a MiB,
// so that a slow reader holds neither a thread nor much memory and a lost connection costs one
// range.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "server/store/artifacts/artifact_store.h"
#include "server/store/artifacts/blocking_pool.h"
#include "server/store/artifacts/s3_client.h"

namespace hone {

struct S3ArtifactsOptions {
  S3Options s3;
  std::int64_t range_bytes = std::int64_t{1} << 20U;       // of a read; held per reader
  std::int64_t multipart_bytes = std::int64_t{64} << 20U;  // above: in parts
  std::int64_t part_bytes = std::int64_t{16} << 20U;       // at least; at most 9,000 parts
  // Copies for programs that take a path (local_file()).
  std::filesystem::path copies;
  std::int64_t copies_bytes = std::int64_t{4} << 30U;  // beyond: those unused for longest go
  std::int64_t reserve_bytes = 0;                      // stay free on the copies' disk
};

class S3Artifacts final : public ArtifactStore {
 public:
  // Makes the folder of copies. Does not connect. disk_full, io_failed.
  static Result<std::unique_ptr<S3Artifacts>> open(S3ArtifactsOptions options);
  // Ends what is under way.
  ~S3Artifacts() override;

  // Whether the bucket is there and we may read it, for the start. A service that is out of order
  // is no error: it may come back.
  Async<void> check();

  Async<void> keep(std::string sha256, std::filesystem::path file) override;
  Async<bool> holds(std::string sha256) override;
  Async<ArtifactContent> read(std::string sha256) override;
  Async<std::filesystem::path> local_file(std::string sha256) override;
  Async<void> remove(std::string sha256, std::chrono::steady_clock::time_point until) override;
  std::string describe() const override;

 private:
  struct Core;
  explicit S3Artifacts(std::shared_ptr<Core> core);

  std::shared_ptr<Core> core_;
  BlockingPool pool_;
};

}  // namespace hone
