// Artifacts as files of a folder: FOLDER/ab/abcdef.... The default; a shared one (NFS) serves
// several coordinators. A file appears under its name complete and synced, so that a reader never
// sees a part of one.
//
// A removal goes by FOLDER/removing/abcdef...: a file system that hung may carry out the first step
// long after it was asked, and what it moved aside then is put back.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "server/store/artifacts/artifact_store.h"
#include "server/store/artifacts/blocking_pool.h"

namespace hone {

class ArtifactFolder final : public ArtifactStore {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // Makes the folder if needed. `now` is asked by a thread of its own. disk_full, io_failed.
  static Result<std::unique_ptr<ArtifactFolder>> open(std::filesystem::path folder,
                                                      Clock now = std::chrono::steady_clock::now);

  // `file` must be on the folder's file system: it is renamed.
  Async<void> keep(std::string sha256, std::filesystem::path file) override;
  Async<bool> holds(std::string sha256) override;
  Async<ArtifactContent> read(std::string sha256) override;
  Async<std::filesystem::path> local_file(std::string sha256) override;
  Async<void> remove(std::string sha256, std::chrono::steady_clock::time_point until) override;
  std::string describe() const override { return folder_.string(); }

 private:
  ArtifactFolder(std::filesystem::path folder, Clock now)
      : folder_(std::move(folder)), now_(std::move(now)) {}
  std::filesystem::path path_of(const std::string& sha256) const {
    return folder_ / artifact_key(sha256);
  }
  // Where it is while it is being removed.
  std::filesystem::path aside_of(const std::string& sha256) const {
    return folder_ / "removing" / sha256;
  }

  std::filesystem::path folder_;
  Clock now_;
  // One thread: a disk gains little from more.
  BlockingPool pool_{1};
};

}  // namespace hone
