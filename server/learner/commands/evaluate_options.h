// What `hone-learner evaluate` was asked for, and its two kinds of logs.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/client/client_options.h"
#include "server/learner/commands/command.h"
#include "server/learner/ope/policy_evaluation.h"

namespace hone {

struct EvaluateOptions {
  ClientFlags server;
  std::string target;   // whose experiences are the log; or
  std::string rows;     // a file of rows
  std::string policy;   // a policy's document; of rows a bandit
  std::string against;  // empty: see the option's text
  std::string buffer;   // experiences as `export` wrote them, instead of the coordinator's
  std::string baseline = "O3";
  std::int64_t version = 0;  // of the target; 0: all
  std::string fresh;         // rows that neither chose nor trained
  std::string output;        // rows: where a model that is fit goes
  bool publish = false;      // target: where a policy that is fit goes, a version
  bool json = false;
};

// An evaluation with its decision, and where the policy went if that let it.
struct EvaluateOutcome {
  PolicyEvaluation evaluation;
  std::string published;     // for people, "" if it was not
  std::int64_t version = 0;  // of the target's policies
};

// Policy documents on a target's experiences. Errors of the buffer and of the documents; conflict
// for a policy of another target, or one with a signature that is to be published.
Result<EvaluateOutcome> evaluate_on_target(const LearnerContext& context,
                                           const EvaluateOptions& options);

// Bandits on rows. Errors of the files; conflict for a model of other features or members than the
// rows', and for fresh rows of a program that the model or the log knows.
Result<EvaluateOutcome> evaluate_on_rows(const EvaluateOptions& options);

}  // namespace hone
