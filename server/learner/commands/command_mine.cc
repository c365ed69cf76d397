// hone-learner mine
#include <chrono>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/program_beside.h"
#include "common/json/document.h"
#include "server/learner/commands/command.h"
#include "server/learner/commands/program_list.h"
#include "server/learner/knowledge/miner.h"
#include "server/learner/knowledge/synergy_miner.h"

namespace hone {
namespace {

struct MineOptions {
  std::string programs;
  std::string cost = "IrInstructionCount";
  std::string work;
  std::string output;
  std::string synergy;
  std::string transitions;
  MinerSettings settings;
};

std::string now() {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

Result<void> mine_members(ProgramLoader& loader, const MineOptions& options,
                          const MinerSettings& settings) {
  HONE_TRY(Portfolio portfolio, mine_portfolio(loader, settings));
  if (portfolio.members.empty()) {
    return fail(ErrorCode::unsupported,
                "no sequence is better than -Oz on these programs; give the search more --seconds");
  }
  portfolio.card.made_by = "hone-learner " HONE_VERSION;
  portfolio.card.made_at = now();
  HONE_CHECK(write_file_atomically(options.output, to_json(portfolio).dump(2) + "\n"));
  const double gain = portfolio.members.empty() ? 0 : portfolio.members.back().gain;
  fmt::print(
      "{}: {} sequences, {:.3f} times fewer than -Oz on what they were found on ({} programs)\n",
      options.output, portfolio.members.size(), std::exp(gain), portfolio.card.programs.size());
  return {};
}

Result<void> mine_graph(ProgramLoader& loader, const MineOptions& options,
                        const MinerSettings& mining) {
  SynergySettings settings;
  settings.programs = mining.programs;
  settings.seconds = mining.seconds;
  settings.seed = mining.seed;
  settings.lab = mining.lab;
  settings.transitions = options.transitions;
  settings.stop = mining.stop;
  settings.say = mining.say;
  HONE_TRY(SynergyGraph graph, mine_synergy(loader, settings));
  graph.card.made_by = "hone-learner " HONE_VERSION;
  graph.card.made_at = now();
  HONE_CHECK(write_file_atomically(options.synergy, to_text(graph)));
  fmt::print("{}: {} passes and {} edges from {} tries on {} programs\n", options.synergy,
             graph.passes.size(), graph.edges.size(), graph.card.tries, graph.card.programs.size());
  return {};
}

Result<void> mine(const LearnerContext& context, const MineOptions& options) {
  MinerSettings settings = options.settings;
  const std::optional<RewardSpace> space = parse_reward_space(options.cost);
  const bool mined =
      space && space->form == RewardForm::difference &&
      (space->cost == Cost::ir_instruction_count || space->cost == Cost::object_text_size);
  if (!mined) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("--cost '{}' is not IrInstructionCount or ObjectTextSizeBytes", options.cost));
  }
  if (options.output.empty() && options.synergy.empty()) {
    return fail(ErrorCode::invalid_argument,
                "name what to make: --output (a portfolio), --synergy (a graph), or both");
  }
  if (!options.transitions.empty() && options.synergy.empty()) {
    return fail(ErrorCode::invalid_argument, "--transitions is for --synergy, which is missing");
  }
  const double least = options.output.empty() ? 0.0 : 0.1;
  if (!std::isfinite(settings.seconds) || settings.seconds < least) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--seconds '{}' must be {} to 1e6", settings.seconds, least));
  }
  settings.lab.cost = space->cost;
  settings.lab.folder = options.work;
  settings.stop = context.stop;
  settings.say = [](std::string_view text) { fmt::print(stderr, "hone-learner: {}\n", text); };
  HONE_TRY(settings.programs, read_program_list(options.programs));
  ProgramLoaderSettings loading;
  loading.debian_script = shared_file("debian_source.sh");
  loading.say = settings.say;
  loading.stop = context.stop;
  HONE_TRY(ProgramLoader loader, ProgramLoader::create(std::move(loading)));
  if (!options.output.empty()) {
    HONE_CHECK(mine_members(loader, options, settings));
  }
  return options.synergy.empty() ? Result<void>() : mine_graph(loader, options, settings);
}

}  // namespace

void add_mine(CLI::App& app, LearnerContext& context) {
  CLI::App* const mining = app.add_subcommand(
      "mine", "Find what does well on many programs: sequences, pairs of passes");
  const auto options = std::make_shared<MineOptions>();
  mining->add_option("--programs", options->programs, "File of program URIs, one a line")
      ->required();
  mining->add_option("--cost", options->cost, "IrInstructionCount or ObjectTextSizeBytes")
      ->capture_default_str();
  mining->add_option("--work", options->work, "Folder of evaluations; the same one goes on")
      ->required();
  mining->add_option("--output", options->output, "The portfolio to make, a JSON file");
  mining->add_option(
      "--synergy", options->synergy,
      "The synergy graph to make of all evaluations in --work and of probed pairs of "
      "passes, a JSON file");
  mining->add_option(
      "--transitions", options->transitions,
      "Logged session steps (hone-learner export --stream transitions) for the graph");
  mining
      ->add_option("--seconds", options->settings.seconds,
                   "CPU seconds of search a program, and as many of probing for a graph (0 with "
                   "--synergy alone: what --work knows)")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  mining->add_option("--members", options->settings.members, "Sequences at most")
      ->check(CLI::Range(std::size_t{1}, kMaxPortfolioMembers))
      ->capture_default_str();
  mining->add_option("--seed", options->settings.seed, "Of random choices")
      ->check(CLI::Range(std::int64_t{0}, kMaxExactInteger))
      ->capture_default_str();
  mining->add_option("--at-once", options->settings.lab.at_once, "Sessions that work at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  mining->callback([&context, options] {
    context.action = [&context, options] { return mine(context, *options); };
  });
}

}  // namespace hone
