// What `hone-learner train` was asked for, and what its kinds of models have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "build_integration/programs/program_loader.h"
#include "common/base/result.h"
#include "common/search/portfolio.h"
#include "common/sessions/reward_space.h"
#include "server/learner/commands/command.h"
#include "server/learner/models/model_file.h"

namespace hone {

struct TrainOptions {
  std::string kind;
  std::string rows;      // trees, bandit: a file of rows
  std::string programs;  // or programs to be evaluated; ppo: to be stepped through
  std::string portfolio;
  std::string work;
  std::string cost = "IrInstructionCount";
  std::string output;
  std::string ir2vec;  // file of IR2Vec's vocabulary; empty: features without it
  std::string rewards = "immediate";
  std::uint64_t seed = 1;
  std::size_t steps = 20'000;
  std::size_t length = 12;
  std::size_t batch = 32;
  double rate = 3e-3;
  double entropy = 0.003;
  std::size_t ensemble = 5;
  std::size_t rounds = 60;
  std::size_t threads = 2;
  std::size_t at_once = 2;
};

// Each trains a model of its kind and writes it to options.output.
Result<void> train_trees(const LearnerContext& context, const TrainOptions& options);
Result<void> train_bandit(const LearnerContext& context, const TrainOptions& options);
Result<void> train_step_policy(const LearnerContext& context, const TrainOptions& options);

// IrInstructionCount or ObjectTextSizeBytes; invalid_argument for another one.
Result<Cost> trained_cost(const TrainOptions& options);
// The programs that the file names.
Result<ProgramLoader> program_loader(const LearnerContext& context);
// The one that was asked for, or the one that is installed for the cost.
Result<Portfolio> trained_portfolio(const TrainOptions& options);
// A line for people on standard error.
void say(std::string_view text);
// Writes it with the time, our version and the options' seed in it.
Result<void> write_trained(Model model, const TrainOptions& options);

}  // namespace hone
