// Artifacts as files of a folder: FOLDER/ab/abcdef.... The default; a shared one (NFS) serves
// several coordinators. A file appears under its name complete and synced, so that a reader never
// sees a part of one.
#pragma once

#include <filesystem>
#include <memory>

#include "server/store/artifacts/artifact_store.h"
#include "server/store/artifacts/blocking_pool.h"

namespace hone {

class ArtifactFolder final : public ArtifactStore {
 public:
  // Makes the folder if needed. disk_full, io_failed.
  static Result<std::unique_ptr<ArtifactFolder>> open(std::filesystem::path folder);

  // `file` must be on the folder's file system: it is renamed.
  Async<void> keep(std::string sha256, std::filesystem::path file) override;
  Async<bool> holds(std::string sha256) override;
  Async<ArtifactContent> read(std::string sha256) override;
  Async<std::filesystem::path> local_file(std::string sha256) override;
  Async<void> remove(std::string sha256) override;
  std::string describe() const override { return folder_.string(); }

 private:
  explicit ArtifactFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path path_of(const std::string& sha256) const {
    return folder_ / artifact_key(sha256);
  }

  std::filesystem::path folder_;
  // One thread: a disk gains little from more.
  BlockingPool pool_{1};
};

}  // namespace hone
