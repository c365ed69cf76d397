// Which artifacts there are: the records beside the files of an ArtifactStore, and who may still
// need them. Not thread safe.
//
// An upload is recorded before its file gets its name (begin_storing) and told to others after that
// (stored); a deletion hides it first (mark_unneeded), then removes the file under the record's
// lock (remove_marked). So a file always has a record, and whoever was told that an artifact is
// there keeps it for as long as an unused one is kept.
//
// The lock ends with its connection, and the removal of a file may be under way then. So the record
// says beforehand until when: a fence that outlives the lock. Before it is over nobody brings the
// artifact back and nobody removes it anew, and whoever removes stops long before that.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/store/async.h"

namespace hone {

struct ArtifactView {
  std::string sha256;
  std::int64_t size_bytes = 0;
  std::string created_at;  // RFC 3339
};

// What a collection found.
struct ArtifactCount {
  std::int64_t artifacts = 0;
  std::int64_t bytes = 0;
};

// How long a removal of a file may take.
inline constexpr std::chrono::seconds kRemovalTime{60};
// How long nobody brings the artifact back if the removal's end is not known. The rest is for a
// request that was given up and is still on its way through a network.
inline constexpr std::int64_t kFenceSeconds = 300;

// Removes a file unless `until` has passed, as ArtifactStore::remove() does.
using RemoveFile = std::function<Async<void>(std::chrono::steady_clock::time_point until)>;

class ArtifactIndex {
 public:
  explicit ArtifactIndex(PgPool& pool) : pool_(pool) {}

  // The record of an artifact that is there, for whoever means to use it: notes the use, so that it
  // stays. not_found if it is not there (or is being removed). While the database takes no writes,
  // nothing is removed either, and the use is not noted.
  Async<ArtifactView> use(std::string sha256);

  // A complete upload is on its way to its place. `created_by` is a token's id. unavailable while a
  // removal whose end is not known may still take the file: upload it again later.
  Async<void> begin_storing(std::string sha256, std::int64_t size_bytes, std::string created_by);
  // It is there, and this token (its id) has sent its bytes, which makes it one of those who may
  // read it (AccessStore). True if either is new; unavailable if it was taken for left over
  // meanwhile.
  Async<bool> stored(std::string sha256, std::string sent_by);

  // What mark_unneeded would find: nobody refers to it, and nobody used it for so many seconds.
  Async<ArtifactCount> count_unneeded(std::int64_t unused_seconds);
  // Hides the longest unused of them that is not in `passed_over`; one whose removal was
  // interrupted counts too. Nothing if there is none. Several coordinators never get the same one
  // at the same time.
  Async<std::optional<ArtifactView>> mark_unneeded(std::int64_t unused_seconds,
                                                   std::vector<std::string> passed_over);
  // Removes the record of a hidden artifact, and its file by `remove_file`, while nobody can bring
  // it back. False if somebody did before, or removes it at this time; what `remove_file` gave if
  // that failed: then it is left alone for kFenceSeconds. `remove_file` may be called several
  // times.
  Async<bool> remove_marked(std::string sha256, RemoveFile remove_file);

 private:
  PgPool& pool_;
};

}  // namespace hone
