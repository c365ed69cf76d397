// Rows for trees and bandits, made by trying sequences on programs in sessions of our own.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/search/portfolio.h"
#include "server/learner/commands/train_options.h"
#include "server/learner/models/training_rows.h"

namespace hone {

// For a bandit: on each program half of the portfolio's members, drawn without regard to the
// program, so that each was tried with probability 1 / members. A member that failed, or did more
// harm than kWorstReward, has that reward. cancelled; invalid_argument if no program can be learned
// from.
Result<TrainingRows> rows_of_members(const LearnerContext& context, const TrainOptions& options,
                                     const Portfolio& portfolio);
// For trees: on each program every member and as many random edits of members; behind the program's
// features stands how often each action is in the sequence.
Result<TrainingRows> rows_of_edits(const LearnerContext& context, const TrainOptions& options,
                                   const Portfolio& portfolio);

inline constexpr double kWorstReward = -0.5;

}  // namespace hone
