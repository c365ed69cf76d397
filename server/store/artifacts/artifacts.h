// Artifacts as honed holds them: the spool that uploads come in by, and the place where complete
// ones are kept. Not thread safe: one executor uses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "server/store/artifacts/artifact_store.h"
#include "server/store/artifacts/upload_spool.h"

namespace hone {

struct ArtifactsOptions {
  std::string place;                                // a folder, or s3://...; "": the local folder
  std::filesystem::path local;                      // of this honed alone: DIR/artifacts
  std::int64_t max_bytes = std::int64_t{2} << 30U;  // of one artifact
  std::int64_t reserve_bytes = -1;  // stay free on the disk; -1: 1 GiB, or 5 % of a smaller disk
  std::int64_t least_reserve_bytes = 0;  // at least that, whatever the other one says
};

struct Artifacts {
  std::unique_ptr<UploadSpool> spool;
  std::unique_ptr<ArtifactStore> store;

  std::int64_t max_bytes() const { return spool->options().max_bytes; }
};

// invalid_argument for a place that is neither a folder nor s3://..., or a URL that is wrong.
Result<void> check_artifacts_place(const std::string& place);

// invalid_argument as check_artifacts_place(); disk_full, io_failed; of S3 what
// S3Artifacts::check() finds.
Async<std::unique_ptr<Artifacts>> open_artifacts(ArtifactsOptions options);

}  // namespace hone
