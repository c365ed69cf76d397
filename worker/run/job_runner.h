// Runs leased jobs from source to verdict, one or several of a campaign together: heat.h.
//
// Whatever the target or the candidate does is an outcome with a reason in the result. An Error is
// this machine's own trouble (a full disk, honed does not hand out the source): the job then goes
// back to the queue. Thread safe for distinct slots; blocks.
#pragma once

#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/lease.h"
#include "worker/build/workspace_pool.h"
#include "worker/run/heat_leases.h"

namespace hone {

// A place where one benchmark runs at a time.
struct Slot {
  int number = 0;          // from 0
  std::optional<int> cpu;  // its processor, held exclusively; nothing: any
};

// What a lease loop needs of a runner; a fake stands in for it in tests.
class LeaseRunner {
 public:
  virtual ~LeaseRunner() = default;
  // A stop request gives outcome cancelled within about a second.
  virtual Result<AttemptResult> run(const Lease& lease, const Slot& slot,
                                    const std::stop_token& stop) = 0;
  // Runs the heat's first job, and those that it gets beside it; tells each one's end. `stop` is
  // the worker's, and each lease has its own. By default the first one alone.
  virtual void run_heat(HeatLeases& leases, const Slot& slot, const std::stop_token& stop);
  // Tells that honed has counted the result: from now on an equal binary may reuse it.
  virtual void accepted(const Lease& lease, const AttemptResult& result) = 0;
  // Tells that honed has no result of the attempt that this one reuses. Whether the next try at the
  // job will measure the binary for that; if not, it would end in the same way.
  virtual bool reuse_refused(const Lease& lease, const AttemptResult& result) = 0;
};

class JobRunner final : public LeaseRunner {
 public:
  // All must outlive the runner.
  JobRunner(WorkspacePool& pool, const WorkspaceContext& context)
      : pool_(pool), context_(context) {}

  Result<AttemptResult> run(const Lease& lease, const Slot& slot,
                            const std::stop_token& stop) override;
  void run_heat(HeatLeases& leases, const Slot& slot, const std::stop_token& stop) override;
  void accepted(const Lease& lease, const AttemptResult& result) override;
  bool reuse_refused(const Lease& lease, const AttemptResult& result) override;

 private:
  WorkspacePool& pool_;
  const WorkspaceContext& context_;
};

}  // namespace hone
