// hone-learner train --kind ppo
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "common/base/program_beside.h"
#include "server/learner/commands/program_list.h"
#include "server/learner/commands/train_options.h"
#include "server/learner/lab/pass_episodes.h"
#include "server/learner/lab/program_features.h"
#include "server/learner/lab/step_actions.h"
#include "server/learner/models/ppo.h"
#include "server/learner/models/step_policy_model.h"

namespace hone {
namespace {

constexpr std::size_t kLastBatches = 10;  // whose mean is told in the end
constexpr double kFineTuned = 0.3;        // of the steps, with --rewards both

Result<double> final_share(const std::string& rewards) {
  if (rewards == "immediate") {
    return 0.0;
  }
  if (rewards == "final") {
    return 1.0;
  }
  if (rewards == "both") {
    return kFineTuned;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("--rewards '{}' is not immediate, final or both", rewards));
}

std::vector<std::string> observation_names(const std::vector<std::string>& actions) {
  std::vector<std::string> names = program_feature_names();
  names.insert(names.end(), {"ln(cost/Oz)", "ln(cost/beginning)", "step"});
  for (const std::string& action : actions) {
    names.push_back("taken." + action);
  }
  names.emplace_back("taken.end");
  return names;
}

}  // namespace

Result<void> train_step_policy(const LearnerContext& context, const TrainOptions& options) {
  // CLI11's ranges let NaN pass.
  if (!std::isfinite(options.rate) || !std::isfinite(options.entropy)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--rate {} and --entropy {} must be finite numbers", options.rate,
                            options.entropy));
  }
  PpoSettings settings;
  settings.steps = options.steps;
  settings.seed = options.seed;
  settings.episodes = options.batch;
  settings.rate = options.rate;
  settings.loss.entropy_weight = options.entropy;
  HONE_TRY(settings.final_share, final_share(options.rewards));
  HONE_TRY(const Cost cost, trained_cost(options));
  HONE_TRY(const std::vector<std::string> programs, read_program_list(options.programs));
  HONE_TRY(ProgramLoader loader, program_loader(context));
  HONE_TRY(const std::filesystem::path sessions, program_beside_us("hone-session"));
  HONE_TRY(SessionClient client, SessionClient::start(sessions));
  HONE_TRY(const Portfolio portfolio, trained_portfolio(options));
  HONE_TRY(const std::vector<std::string> actions, step_actions(portfolio));
  PassEpisodes episodes(std::move(client), {actions, options.length, cost});
  Model model;
  for (const std::string& uri : programs) {
    if (context.stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped before the policy was trained");
    }
    const Result<Program> program = loader.load(uri);
    const Result<void> added =
        program ? episodes.add(program->file.string()) : Result<void>(program.error());
    if (added) {
      model.data.programs.push_back(program->uri);
    } else {
      say(fmt::format("{} is left out: {}", uri, added.error().describe()));
    }
  }
  if (model.data.programs.empty()) {
    return fail(ErrorCode::invalid_argument, "none of the programs can be learned from");
  }
  double baseline = 0;  // the mean of what -Oz alone is rewarded with
  for (std::size_t i = 0; i < episodes.programs(); ++i) {
    baseline +=
        std::log(episodes.cost(i) / episodes.oz(i)) / static_cast<double>(episodes.programs());
  }
  std::vector<double> gains;  // of each batch
  PpoHooks hooks;
  hooks.stop = context.stop;
  hooks.on_batch = [&](const PpoProgress& progress) {
    say(fmt::format("{} steps: {:+.4f} against -Oz, {:.1f} steps an episode, entropy {:.2f}{}",
                    progress.steps, progress.reward - baseline, progress.length, progress.entropy,
                    progress.final_rewards ? ", final rewards" : ""));
    gains.push_back(progress.reward - baseline);
    model.metrics["entropy"] = progress.entropy;
    model.data.rows = progress.steps;
  };
  HONE_TRY(StepPolicy policy, train_ppo(episodes, settings, hooks));
  model.metrics["cpu_seconds_of_sessions"] = episodes.cpu_seconds();
  model.features = observation_names(actions);
  model.feature_version = kFeatureVersion;
  model.cost = options.cost;
  model.data.source = "sessions, rewards " + options.rewards;
  model.data.first = "step 1";
  model.data.last = fmt::format("step {}", model.data.rows);
  store({std::move(policy), actions, options.length}, model);
  // A batch is of few programs: one alone says little.
  const std::size_t last = std::min(kLastBatches, gains.size());
  const double gain = last == 0 ? 0.0
                                : std::accumulate(gains.end() - static_cast<std::ptrdiff_t>(last),
                                                  gains.end(), 0.0) /
                                      static_cast<double>(last);
  model.metrics["gain_over_oz"] = gain;
  HONE_CHECK(write_trained(std::move(model), options));
  fmt::print(
      "{}: {} steps on {} programs; -Oz is {:.3f} times as large as what its last episodes made\n",
      options.output, options.steps, episodes.programs(), std::exp(gain));
  return {};
}

}  // namespace hone
