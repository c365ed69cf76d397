// Uploads that may be interrupted: whose they are and what they will be. The bytes are in files of
// an UploadSpool; an upload has its row before its file, and its file goes when its row is gone.
// Not thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/store/async.h"

namespace hone {

struct UploadView {
  std::string id;  // UUID
  std::string sha256;
  std::int64_t size_bytes = 0;  // as announced
  std::string expires_at;       // RFC 3339; later with every byte
};

struct BegunUpload {
  UploadView upload;
  std::vector<std::string> replaced;  // ids that ended for it: their bytes are to be dropped
};

inline constexpr std::int64_t kMaxUploadsPerToken = 16;
inline constexpr std::int64_t kMaxUploads = 1'000;
inline constexpr std::int64_t kUploadSeconds = 86'400;  // an upload that nobody sends to ends then

class ArtifactUploadStore {
 public:
  explicit ArtifactUploadStore(PgPool& pool) : pool_(pool) {}

  // The token's upload of this artifact: the one under way if it has the same size, else a new one
  // (in place of the other). unavailable past the limits of uploads under way.
  Async<BegunUpload> begin(std::string sha256, std::int64_t size_bytes, std::string token_id);
  // not_found unless it is this token's. Notes the use.
  Async<UploadView> use(std::string id, std::string token_id);
  // It is complete or was given up. One that is not there is no error.
  Async<void> remove(std::string id);
  // Ends those that were not used for too long; gives their ids.
  Async<std::vector<std::string>> remove_outdated();
  // Which of these ids are no upload's (any more).
  Async<std::vector<std::string>> without_upload(std::vector<std::string> ids);

 private:
  PgPool& pool_;
};

}  // namespace hone
