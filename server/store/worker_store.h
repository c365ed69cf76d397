// Registered workers. Not thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/protocol/worker.h"
#include "server/store/async.h"

namespace hone {

class WorkerStore {
 public:
  explicit WorkerStore(PgPool& pool) : pool_(pool) {}

  // Registers a worker or replaces what is known of it; counts as seen now. last_seen_at and
  // current_job of the argument are ignored.
  Async<WorkerView> put(WorkerView worker);
  // not_found.
  Async<WorkerView> find(std::string name);
  // All, by name.
  Async<std::vector<WorkerView>> list();

 private:
  PgPool& pool_;
};

}  // namespace hone
