// What every command of hone-learner gets, and how commands register themselves.
#pragma once

#include <functional>
#include <stop_token>

#include "common/base/result.h"

namespace CLI {
class App;
}

namespace hone {

struct LearnerContext {
  std::stop_token stop;                  // Ctrl-C, SIGTERM
  std::function<Result<void>()> action;  // set by the command that was given
  // What the program ends with where the action succeeded.
  int exit_status = 0;
};

// Each adds one command with its options to `app`; the context must outlive the parse.
void add_mine(CLI::App& app, LearnerContext& context);
void add_propose(CLI::App& app, LearnerContext& context);
void add_zero_shot(CLI::App& app, LearnerContext& context);
void add_evaluate(CLI::App& app, LearnerContext& context);
void add_export(CLI::App& app, LearnerContext& context);
void add_import_states(CLI::App& app, LearnerContext& context);
void add_train(CLI::App& app, LearnerContext& context);
void add_search(CLI::App& app, LearnerContext& context);

}  // namespace hone
