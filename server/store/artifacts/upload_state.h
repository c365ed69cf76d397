// An upload's file and what is known of it: written by threads of the pool, one at a time. For
// files of server/store/artifacts.
#pragma once

#include <unistd.h>

#include <mutex>
#include <optional>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "server/store/artifacts/partial_file.h"
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
  //
  // Opens and locks the file of a partial upload; gives the bytes that are there. What `before`, if
  // there is one, knows of them is taken from it, and it is of no more use: they are hashed again
  // only if somebody else wrote since.
  Result<std::int64_t> open_partial(State* before);
  Result<void> append(std::string_view bytes);
  Result<void> verify();
  // Closes the file, and with it ends the lock. What is known of it is kept.
  Result<void> rest();
  Result<void> discard();
  void give_up();

  std::string what() const { return "cannot store artifact " + sha256; }

  std::shared_ptr<BlockingGate> gate;
  std::shared_ptr<const SpoolOptions> options;
  std::string sha256;
  std::filesystem::path path;
  std::int64_t limit = 0;

  std::mutex mutex;  // of what follows, up to `superseded`
  UniqueFd file;
  Sha256 hash;
  std::int64_t size = 0;
  bool hashed = true;                  // the file has `size` bytes, and `hash` is theirs
  std::optional<FileStamp> rested_at;  // what it was when it was closed
  std::int64_t asked_for_room_at = 0;  // size then
  bool over = false;
  bool superseded = false;

  // Of the executor.
  bool removes_file = true;
  std::int64_t known_size = 0;
  bool busy = false;  // being opened or made an artifact: it is not the sender that is waited for
  std::chrono::steady_clock::time_point heard_at = std::chrono::steady_clock::now();

 private:
  Result<void> close_file();
  void take_over(State& before);
  Result<void> hash_file();
};

}  // namespace hone
