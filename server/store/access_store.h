// What belongs to which target, for those who may see some only. Not thread safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/store/async.h"
#include "server/store/reader.h"

namespace hone {

// Things that have an id and belong to a target.
enum class OwnedThing { job, campaign, candidate, attempt, canary };

class AccessStore {
 public:
  explicit AccessStore(PgPool& pool) : pool_(pool) {}

  // The name of the target it belongs to; nothing if there is no such thing.
  Async<std::optional<std::string>> target_of(OwnedThing thing, std::string id);
  // Of these ids of jobs, those that belong to a target the reader sees.
  Async<std::vector<std::string>> visible_jobs(std::vector<std::string> ids, Reader reader);
  // Whether the artifact is the reader's to read: it uploaded it, or a target that it sees is made
  // of it. Who sees all sees it, whether it is there or not.
  Async<bool> may_read_artifact(std::string sha256, Reader reader);

 private:
  PgPool& pool_;
};

}  // namespace hone
