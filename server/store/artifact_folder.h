// Artifacts on disk: files named by the SHA-256 of their content, in FOLDER/ab/abcdef....
//
// A file appears under its name only when all of it was written, its hash agreed and it was synced:
// a reader never sees a part, and a crash leaves at most a temporary file that the next open()
// removes. Disk work happens on a thread of its own, so that a slow disk delays its upload and
// nothing else. Not thread safe: one executor uses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/thread_pool.hpp>

#include "common/base/file.h"
#include "server/store/async.h"

namespace hone {

// One upload under way. Dropping it before finish() removes the temporary file.
class ArtifactUpload {
 public:
  ArtifactUpload(ArtifactUpload&&) noexcept;
  ArtifactUpload& operator=(ArtifactUpload&&) = delete;
  ~ArtifactUpload();

  // Appends. too_large past the folder's limit, unavailable for a full disk (named as such), as all
  // here may be; io_failed. After an error the upload is over.
  Async<void> append(std::string_view bytes);
  // Verifies the hash, syncs, renames into place; gives the size in bytes. invalid_argument if the
  // content has another hash than announced, io_failed. If somebody else finished the same artifact
  // meanwhile, that is fine.
  Async<std::int64_t> finish();

 private:
  friend class ArtifactFolder;
  struct State;
  explicit ArtifactUpload(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// An artifact opened for reading.
struct ArtifactFile {
  UniqueFd file;
  std::int64_t size_bytes = 0;
};

class ArtifactFolder {
 public:
  // Makes the folder if needed and removes what an interrupted upload left. io_failed.
  static Result<std::unique_ptr<ArtifactFolder>> open(std::filesystem::path folder,
                                                      std::int64_t max_bytes);
  ~ArtifactFolder();
  ArtifactFolder(const ArtifactFolder&) = delete;
  ArtifactFolder& operator=(const ArtifactFolder&) = delete;

  std::int64_t max_bytes() const;

  // Starts an upload. invalid_argument if `sha256` is no SHA-256 in lower-case hexadecimal digits;
  // io_failed.
  Result<ArtifactUpload> begin(std::string sha256);
  // not_found if the artifact is not there (or the name is no SHA-256); io_failed.
  Result<ArtifactFile> read(std::string_view sha256) const;
  // Its path, whether it exists or not.
  std::filesystem::path path_of(std::string_view sha256) const;

 private:
  friend class ArtifactUpload;
  struct Shared;
  explicit ArtifactFolder(std::shared_ptr<Shared> shared);
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<boost::asio::thread_pool> disk_;
};

}  // namespace hone
