// Registered workers. Not thread safe.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "common/protocol/worker.h"
#include "server/store/async.h"

namespace hone {

enum class WorkerUse { take_jobs, drain };

// A worker that asks for a job, and the id of the token that will hold the lease.
struct Claimant {
  std::string worker;
  std::string token;
  auto operator<=>(const Claimant&) const = default;
};

// What a waiting worker may be given, as far as that tells it from others.
struct WorkerKind {
  bool registered = false;  // by its token, or by nobody in particular
  bool drained = false;
  // The same text for workers that may measure the same jobs (requirements of targets, self-checks,
  // targets that their tokens are confined to).
  std::string kind;
};

class WorkerStore {
 public:
  explicit WorkerStore(PgPool& pool) : pool_(pool) {}

  // Registers a worker or replaces what is known of it; counts as seen now. last_seen_at and
  // current_job of the argument are ignored. The name is from then on that of the token with the id
  // `token` (nobody's if it is empty). conflict if it is another's, whose token is good.
  Async<WorkerView> put(WorkerView worker, std::string token = "");
  // Whoever registers it next has its name. not_found.
  Async<void> free(std::string name);
  // not_found.
  Async<WorkerView> find(std::string name);
  // Whether it is given further jobs; what it runs it finishes. Gives since when it is not, RFC
  // 3339, empty if it is. Said twice, the first time counts. not_found.
  Async<std::string> set_use(std::string name, WorkerUse use);
  // It stops: until it is seen again nobody misses it, and it counts as no worker that is there.
  // What it holds of leases it has handed back before. Gives since when, RFC 3339. `token` is the
  // id of the token that says so; not_found also where the name is another token's.
  Async<std::string> leave(std::string name, std::string token);
  // Each one's kind, in their order; counts as seeing them now, to a few seconds.
  Async<std::vector<WorkerKind>> kinds(std::vector<Claimant> claimants);
  // All, by name.
  Async<std::vector<WorkerView>> list();

 private:
  PgPool& pool_;
};

}  // namespace hone
