// One leased candidate on its way to a measurement: source and baseline, its build, and what is
// known of it without a run; its result is put together here. Not thread safe; blocks.
#pragma once

#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/lease.h"
#include "worker/build/candidate_policy.h"
#include "worker/build/compile_log.h"
#include "worker/build/step_log.h"
#include "worker/build/workspace.h"
#include "worker/run/job_runner.h"

namespace hone {

class CandidateBuild {
 public:
  // All are kept and must outlive it.
  CandidateBuild(Workspace& workspace, const WorkspaceContext& context, const Lease& lease,
                 const Slot& slot);

  // The stages, in this order. False if the result is known by now; an Error is this machine's own
  // trouble.
  //
  // Whether this machine has what it takes, then source and baseline.
  Result<bool> prepare(const std::stop_token& stop);
  // The build in the slot's folder: with what an earlier candidate left, or from nothing.
  Result<bool> build(bool from_nothing, const std::stop_token& stop);
  // Whether the binaries are the baseline's, or in a race such as were measured before.
  Result<bool> look_for_equal_binary(const std::stop_token& stop);
  // Whether sanitizers find nothing in a second build, where the target asks for them. Only before
  // a confirmation: what is published was confirmed.
  Result<bool> check_sanitized(const std::stop_token& stop);

  const Lease& lease() const { return lease_; }
  const Baseline& baseline() const { return baseline_; }
  // The policy that it was built with, as bytes.
  const std::string& policy() const { return policy_; }
  // binaries_key() of what was built.
  const std::string& key() const { return key_; }
  AttemptResult& result() { return result_; }

  // Sets how it ended; false.
  bool end(Outcome outcome, std::string reason);
  // Adds what people should know.
  void warn(const std::string& warning);
  // The result is that of another attempt, which measured the same binaries.
  void reuse(const std::string& attempt, Verdict verdict, const RewardEstimate& reward);

  // The result as honed takes it; once.
  AttemptResult finish();

 private:
  bool can_measure();
  bool lacks_objects() const;
  Result<bool> build_once(const CandidatePolicy& policy, bool from_nothing,
                          const std::stop_token& stop);
  void take_decisions(const CandidatePolicy& policy, const std::vector<CompileLine>& lines);

  Workspace& workspace_;
  const WorkspaceContext& context_;
  const Lease& lease_;
  const Slot& slot_;
  StepLog log_;
  Baseline baseline_;
  std::string policy_;
  std::string key_;
  AttemptResult result_;
};

}  // namespace hone
