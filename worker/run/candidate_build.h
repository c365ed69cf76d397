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

namespace hone {

class CandidateBuild {
 public:
  // All are kept and must outlive it.
  CandidateBuild(Workspace& workspace, const WorkspaceContext& context, const Lease& lease,
                 int slot);

  // The stages, in this order. False if the result is known by now; an Error is this machine's own
  // trouble.
  //
  // Whether the metric can be counted here, then source and baseline.
  Result<bool> prepare(const std::stop_token& stop);
  // The build in the slot's folder: with what an earlier candidate left, or from nothing.
  Result<bool> build(bool from_nothing, const std::stop_token& stop);
  // Whether the binaries are the baseline's, or in a race such as were measured before.
  Result<bool> look_for_equal_binary();

  const Lease& lease() const { return lease_; }
  const Baseline& baseline() const { return baseline_; }
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
  bool can_count();
  bool lacks_objects() const;
  Result<bool> build_once(const CandidatePolicy& policy, bool from_nothing,
                          const std::stop_token& stop);
  void take_decisions(const CandidatePolicy& policy, const std::vector<CompileLine>& lines);

  Workspace& workspace_;
  const WorkspaceContext& context_;
  const Lease& lease_;
  int slot_;
  StepLog log_;
  Baseline baseline_;
  std::string key_;
  AttemptResult result_;
};

}  // namespace hone
