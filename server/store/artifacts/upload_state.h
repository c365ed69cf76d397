// An upload's file and what is known of it: written by threads of the pool, one at a time. For
// files of server/store/artifacts.
#pragma once

#include <unistd.h>

#include <mutex>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "server/store/artifacts/upload_spool.h"

namespace hone {

struct ArtifactUpload::State {
  ~State() {
    file.reset();
    if (removes_file) {
      ::unlink(path.c_str());
    }
  }

  // These run on a thread of the pool and hold the mutex.
  Result<std::int64_t> open_partial();  // gives the bytes that are there
  Result<void> append(std::string_view bytes);
  Result<void> verify();
  void give_up();

  std::string what() const { return "cannot store artifact " + sha256; }

  std::shared_ptr<BlockingGate> gate;
  std::shared_ptr<const SpoolOptions> options;
  std::string sha256;
  std::filesystem::path path;
  std::int64_t limit = 0;

  std::mutex mutex;  // of what follows, but for removes_file and heard_at
  UniqueFd file;
  Sha256 hash;
  std::int64_t size = 0;
  std::int64_t asked_for_room_at = 0;  // size then
  bool over = false;
  bool superseded = false;

  // Of the executor.
  bool removes_file = true;
  std::int64_t known_size = 0;
  std::chrono::steady_clock::time_point heard_at = std::chrono::steady_clock::now();
};

}  // namespace hone
