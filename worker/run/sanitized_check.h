// Baseline and candidate built once more with the sanitizers that the target asks for, and run on
// each input and check: finds what a candidate does wrong where no output shows it. Nothing of it
// is timed. Thread safe for distinct slots; blocks.
//
// The baseline is the measure. Where it does not build with the sanitizers, has something to report
// itself, takes too long or writes other outputs each time, a candidate is not blamed: the check
// cannot tell, which is a warning. Its build is made once for all slots of a workspace, and so is
// the note of why there is none.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "staging/verdict/checked_runs.h"
#include "worker/build/step_log.h"
#include "worker/build/workspace.h"
#include "worker/run/job_runner.h"

namespace hone {

struct SanitizedResult {
  // miscompiled: a sanitizer reports something of the candidate alone, or the candidate ends or
  // writes otherwise; the report's first lines are in the reason. cancelled on request.
  MaybeEnding ending;
  std::vector<std::string> warnings;  // why the check could not tell, or not of every object
};

struct SanitizedSides {
  const std::string& policy;                        // the candidate's, as bytes
  const std::vector<EffectiveDecision>& decisions;  // of the build that will be measured
};

// An error is this machine's trouble.
Result<SanitizedResult> check_with_sanitizers(Workspace& workspace, const WorkspaceContext& context,
                                              const Slot& slot, const SanitizedSides& sides,
                                              StepLog& log, const std::stop_token& stop);

}  // namespace hone
