// Files on their way in: every upload is written to a local folder first, within limits, and its
// hash is known before anything is made of it.
//
//   FOLDER/<owner>.<sha256>.<random>   one request's body; gone when the request fails
//   FOLDER/<id>.partial                an upload that may be interrupted; its length is its offset
//
// Several coordinators may share the folder (a shared artifact folder holds it): each has an owner
// name of its own, and a partial upload's file is locked while one of them receives, so that the
// next piece may go to another. The disk is never filled: an upload ends while the reserve is still
// free. Not thread safe: one executor uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/artifacts/blocking_pool.h"

namespace hone {

struct SpoolOptions {
  std::filesystem::path folder;
  std::string owner = "honed";  // a file name's part: unlike that of others who share the folder
  std::int64_t max_bytes = std::int64_t{2} << 30U;  // of one upload
  std::int64_t reserve_bytes = 0;                   // stay free on the disk
  std::chrono::seconds foreign_age{86'400};         // then what another owner left is removed
  // An upload whose sender sent nothing for so long may be gone on with over another connection.
  std::chrono::milliseconds silence{2'000};
};

// One upload being written. Dropping it removes the file, unless it is a partial one.
class ArtifactUpload {
 public:
  ArtifactUpload(ArtifactUpload&&) noexcept;
  ArtifactUpload& operator=(ArtifactUpload&&) = delete;
  ~ArtifactUpload();

  // Bytes that are in the file.
  std::int64_t size() const;
  const std::string& sha256() const;
  const std::filesystem::path& file() const;

  // Appends. too_large past the limit (none of `bytes` is written), disk_full, io_failed, conflict
  // when another connection goes on with it. After an error this object is of no more use.
  Async<void> append(std::string_view bytes);
  // Compares the hash and syncs; then file() is the artifact. invalid_argument if its content has
  // another hash than announced, disk_full, io_failed. From here to the end of this object nobody
  // else goes on with a partial upload.
  Async<void> verify();
  // Closes a partial upload's file, which is as well as synced where closing says so: from then on
  // it may be gone on with, here or by another coordinator. This object is of no more use. Dropping
  // it does the same a little later. disk_full, io_failed.
  Async<void> rest();
  // Removes a partial upload's file, if it is still there and nobody else goes on with it.
  // io_failed.
  Async<void> discard();
  // The file was taken over (or must stay): nothing is removed.
  void release();

 private:
  friend class UploadSpool;
  struct State;
  explicit ArtifactUpload(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
  std::shared_ptr<int> holder_ = std::make_shared<int>(0);  // alive as long as this upload
};

class UploadSpool {
 public:
  // Makes the folder and removes what this owner left, and what others left long ago; partial
  // uploads stay. disk_full, io_failed.
  static Result<std::unique_ptr<UploadSpool>> open(SpoolOptions options);
  ~UploadSpool();
  UploadSpool(const UploadSpool&) = delete;
  UploadSpool& operator=(const UploadSpool&) = delete;

  const SpoolOptions& options() const;

  // Starts an upload of `announced` bytes (0: not known). invalid_argument if `sha256` is none,
  // too_large, disk_full, io_failed.
  Result<ArtifactUpload> begin(std::string sha256, std::int64_t announced);

  // Goes on with the partial upload `id` (a UUID of ours) behind the bytes that are there, size()
  // of them, up to `announced`. conflict while another connection sends (or another coordinator
  // holds the file), disk_full, io_failed. Whoever was sending and fell silent is cut off.
  Async<ArtifactUpload> resume(std::string id, std::string sha256, std::int64_t announced);
  // disk_full unless there is room for so many bytes more; io_failed.
  Result<void> check_room(std::int64_t bytes) const;
  // How many bytes of it are here; 0 if there are none.
  std::int64_t offset(const std::string& id) const;
  // Ends it and removes its bytes; whether there were some. Those that another coordinator
  // receives, or that are just being made an artifact, stay. io_failed.
  Async<bool> drop(std::string id);
  // Partial uploads whose bytes are here, kMostListed at most. io_failed.
  Async<std::vector<std::string>> partial_ids();
  // Removes what is older than the options say, but for partial uploads. Gives how many files.
  Async<std::int64_t> remove_old();

  static constexpr std::size_t kMostListed = 10'000;

 private:
  explicit UploadSpool(SpoolOptions options);
  std::filesystem::path path_of(const std::string& id) const;

  std::shared_ptr<const SpoolOptions> options_;
  // So that one upload's hash is no other's delay; each upload is at one thread at a time.
  std::unique_ptr<BlockingPool> pool_;
  // A partial upload that somebody sends to, or sent to lately: whoever goes on with it need not
  // wait until its bytes were hashed again. Of the latter only the hash is kept, no open file.
  struct Partial {
    std::shared_ptr<ArtifactUpload::State> state;
    std::weak_ptr<int> holder;
    bool is_idle() const { return holder.expired(); }
  };
  void forget_idle();
  std::map<std::string, Partial> partial_;  // by id
};

}  // namespace hone
