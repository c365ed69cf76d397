// hone-learner: learns from what was tried, and proposes what to try next.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "common/base/interrupt.h"
#include "common/base/printable.h"
#include "common/base/text.h"
#include "common/completion/bash_completion.h"
#include "server/learner/commands/command.h"

namespace {

int run(int argc, char** argv) {
  hone::LearnerContext context;
  CLI::App app{"Hone's learner: better candidates from what was measured.", "hone-learner"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "hone-learner " HONE_VERSION);
  hone::add_bash_completion(app);
  hone::add_mine(app, context);
  hone::add_propose(app, context);
  hone::add_zero_shot(app, context);
  hone::add_export(app, context);
  hone::add_import_states(app, context);
  hone::add_train(app, context);
  hone::add_search(app, context);
  hone::add_evaluate(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : hone::exit_code(hone::ErrorCode::invalid_argument);
  }
  context.stop = hone::stop_on_interrupt();
  const hone::Result<void> done = context.action();
  if (done) {
    return context.exit_status;
  }
  fmt::print(stderr, "hone-learner: {}\n", hone::printable(done.error().describe()));
  return hone::exit_code(done.error().code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    // Nothing of ours throws: out of memory, or a fault of a library.
    std::fprintf(stderr, "hone-learner: %s\n", error.what());
    return 1;
  }
}
