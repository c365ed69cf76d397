// The state that `hone env shell` has come to: written to files, and validated.
#include <fmt/format.h>

#include "build_integration/cli/session_shell.h"
#include "build_integration/cli/state_file.h"
#include "build_integration/cli/state_validator.h"
#include "build_integration/cli/validation_summary.h"
#include "common/base/file.h"
#include "common/sessions/opt_command.h"

namespace hone {

Result<void> SessionShell::write(const std::string& file) {
  const bool text = file.ends_with(".ll");
  HONE_TRY(const Observation seen,
           session_.observe(text ? ObservationSpace::ir : ObservationSpace::bitcode));
  return write_file_atomically(file, std::get<std::string>(seen));
}

Result<EpisodeState> SessionShell::state() {
  EpisodeState reached;
  reached.benchmark = session_.program().uri;
  HONE_TRY(reached.reward, session_.episode_reward(settings_.reward));
  reached.walltime = session_.seconds();
  reached.commandline = opt_command(session_.pipelines());
  return reached;
}

Result<void> SessionShell::validate() {
  if (settings_.reward.cost == Cost::runtime) {
    return fail(ErrorCode::invalid_argument, std::string(kRuntimeVaries));
  }
  HONE_TRY(const EpisodeState reached, state());
  HONE_TRY(SessionClient client, settings_.start());
  StateValidator validator(std::move(client), *programs_, {settings_.reward, {}}, settings_.stop);
  HONE_TRY(const ValidationResult result, validator.validate(reached));
  settings_.print(validation_line(result) + "\n");
  settings_.print(!result.benchmark_semantics_validated ? "the program was not run\n"
                  : result.benchmark_semantics_validation_failed
                      ? "the program does something else\n"
                      : "the program runs as before\n");
  return {};
}

}  // namespace hone
