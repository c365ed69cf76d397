#include "worker/run/job_runner.h"

#include "common/base/log.h"
#include "worker/build/binaries.h"
#include "worker/run/heat.h"

namespace hone {
namespace {

// A job by itself.
class OneLease final : public HeatLeases {
 public:
  OneLease(const Lease& lease, const std::stop_token& stop) : held_{lease, stop} {}
  const HeldLease& first() const override { return held_; }
  const HeldLease* another() override { return nullptr; }
  bool end(const HeldLease&, Result<AttemptResult> result) override {
    result_ = std::move(result);
    return false;
  }
  void hand_back(const HeldLease&, const std::string& reason) override {
    result_ = fail(ErrorCode::unavailable, reason);
  }
  Result<AttemptResult> result() { return std::move(result_); }

 private:
  HeldLease held_;
  Result<AttemptResult> result_ = fail(ErrorCode::internal, "the job has no end");
};

}  // namespace

void LeaseRunner::run_heat(HeatLeases& leases, const Slot& slot, const std::stop_token&) {
  const HeldLease& held = leases.first();
  leases.end(held, run(held.lease, slot, held.stop));
}

Result<AttemptResult> JobRunner::run(const Lease& lease, const Slot& slot,
                                     const std::stop_token& stop) {
  OneLease one(lease, stop);
  run_heat(one, slot, stop);
  return one.result();
}

void JobRunner::run_heat(HeatLeases& leases, const Slot& slot, const std::stop_token& stop) {
  const HeldLease& held = leases.first();
  const Result<std::shared_ptr<Workspace>> workspace =
      pool_.open(held.lease.target, held.lease.baseline, held.lease.trust);
  if (!workspace) {
    leases.end(held, workspace.error());
    return;
  }
  pool_.clean_up(held.stop);
  Heat(**workspace, context_, leases, slot, stop).run();
}

void JobRunner::accepted(const Lease& lease, const AttemptResult& result) {
  if (lease.stage != Stage::race || result.outcome != Outcome::ok || !result.verdict ||
      !result.reward || !result.reused_attempt.empty() || result.binaries.empty()) {
    return;
  }
  const Result<std::shared_ptr<Workspace>> workspace =
      pool_.open(lease.target, lease.baseline, lease.trust);
  const Result<void> added = workspace ? (*workspace)
                                             ->measured()
                                             .add(binaries_key(result.binaries),
                                                  {lease.attempt, *result.verdict, *result.reward})
                                       : workspace.error();
  if (!added) {
    log_warning("result_not_remembered", {{"why", added.error().message}});
  }
}

bool JobRunner::reuse_refused(const Lease& lease, const AttemptResult& result) {
  const Result<std::shared_ptr<Workspace>> workspace =
      pool_.open(lease.target, lease.baseline, lease.trust);
  const Result<bool> forgotten = workspace ? (*workspace)->measured().forget(result.reused_attempt)
                                           : Result<bool>(workspace.error());
  if (!forgotten) {
    log_warning("result_not_forgotten",
                {{"attempt", result.reused_attempt}, {"why", forgotten.error().message}});
    return false;
  }
  return *forgotten;
}

}  // namespace hone
