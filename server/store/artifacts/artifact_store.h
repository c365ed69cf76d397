// Where complete artifacts are kept, each under the SHA-256 of its content: a folder
// (artifact_folder.h) or a bucket of an S3-compatible service (s3_artifacts.h).
//
// An artifact is there whole or not at all, and never changes. Several coordinators may share one
// place. Blocking work happens on threads of the implementation's own. Not thread safe: one
// executor uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "common/base/file.h"
#include "server/store/async.h"

namespace hone {

// An artifact's bytes: a local file, or pieces that are asked for one after the other.
struct ArtifactContent {
  std::int64_t size_bytes = 0;
  UniqueFd file;
  // Without a file: the next piece, of a MiB or so; "" at the end.
  std::function<Async<std::string>()> next;
};

// Every call fails besides with unavailable (the place does not answer, or refuses us; the message
// says what to mend) and io_failed.
class ArtifactStore {
 public:
  virtual ~ArtifactStore() = default;

  // Takes over a complete file whose content has this hash. Keeping what is there already is no
  // error. disk_full.
  virtual Async<void> keep(std::string sha256, std::filesystem::path file) = 0;
  virtual Async<bool> holds(std::string sha256) = 0;
  // not_found.
  virtual Async<ArtifactContent> read(std::string sha256) = 0;
  // A file on this machine with its content, for programs that take a path; valid for some hours
  // at least. not_found, disk_full.
  virtual Async<std::filesystem::path> local_file(std::string sha256) = 0;
  // One that is not there is no error. From `until` on (RemoveFile) the name may be a new file's:
  // nothing is removed any more, and what could not be removed in time is unavailable.
  virtual Async<void> remove(std::string sha256, std::chrono::steady_clock::time_point until) = 0;

  // For people: where it is. Holds no secret.
  virtual std::string describe() const = 0;
};

// "ab/abcdef...": how artifacts are named below the folder or prefix that holds them.
inline std::string artifact_key(const std::string& sha256) {
  return sha256.substr(0, 2) + "/" + sha256;
}

inline Error no_artifact(const std::string& sha256) {
  return fail(ErrorCode::not_found, "no artifact '" + sha256 + "'");
}

}  // namespace hone
