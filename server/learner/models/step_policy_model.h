// A step policy as a model in a file. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/learner/models/model_file.h"
#include "server/learner/models/step_policy.h"

namespace hone {

struct StoredStepPolicy {
  StepPolicy policy;
  std::vector<std::string> actions;  // pipelines; the end of an episode comes behind them
  std::size_t length = 0;            // steps of an episode, at most
};

// Sets kind, settings and parts of `model`; the rest is the caller's.
void store(const StoredStepPolicy& stored, Model& model);
// invalid_argument for parts that do not fit each other, and for a pipeline that may not be run.
Result<StoredStepPolicy> step_policy_of(const Model& model);

}  // namespace hone
