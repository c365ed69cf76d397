// What all coordinators of a database must agree on (server/deployment.h compares). Not thread
// safe.
#pragma once

#include <cstdint>
#include <string>

#include "server/store/async.h"

namespace hone {

struct DeploymentView {
  std::string artifacts_mark;  // SHA-256 of a file that lies among the artifacts; empty: none yet
  std::int64_t lease_seconds = 0;  // of who started last; 0: nobody yet
  bool served = false;             // somebody served within the last ten seconds
};

class DeploymentStore {
 public:
  explicit DeploymentStore(PgPool& pool) : pool_(pool) {}

  Async<DeploymentView> read();
  // False, and nothing is changed, if the mark is not `before` (empty: none) any more.
  Async<bool> replace_mark(std::string before, std::string mark);
  Async<void> set_lease_seconds(std::int64_t seconds);

 private:
  PgPool& pool_;
};

}  // namespace hone
