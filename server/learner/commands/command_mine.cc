// hone-learner mine
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/program_beside.h"
#include "server/learner/commands/command.h"
#include "server/learner/commands/program_list.h"
#include "server/learner/knowledge/miner.h"

namespace hone {
namespace {

struct MineOptions {
  std::string programs;
  std::string cost = "IrInstructionCount";
  std::string work;
  std::string output;
  MinerSettings settings;
};

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
  if (!std::isfinite(settings.seconds)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--seconds '{}' must be 0.1 to 1e6", settings.seconds));
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
  HONE_TRY(Portfolio portfolio, mine_portfolio(loader, settings));
  if (portfolio.members.empty()) {
    return fail(ErrorCode::unsupported,
                "no sequence is better than -Oz on these programs; give the search more --seconds");
  }
  portfolio.card.made_by = "hone-learner " HONE_VERSION;
  portfolio.card.made_at = fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  HONE_CHECK(write_file_atomically(options.output, to_json(portfolio).dump(2) + "\n"));
  const double gain = portfolio.members.empty() ? 0 : portfolio.members.back().gain;
  fmt::print(
      "{}: {} sequences, {:.3f} times fewer than -Oz on what they were found on ({} programs)\n",
      options.output, portfolio.members.size(), std::exp(gain), portfolio.card.programs.size());
  return {};
}

}  // namespace

void add_mine(CLI::App& app, LearnerContext& context) {
  CLI::App* const mining =
      app.add_subcommand("mine", "Find a portfolio of sequences that does well on many programs");
  const auto options = std::make_shared<MineOptions>();
  mining->add_option("--programs", options->programs, "File of program URIs, one a line")
      ->required();
  mining->add_option("--cost", options->cost, "IrInstructionCount or ObjectTextSizeBytes")
      ->capture_default_str();
  mining->add_option("--work", options->work, "Folder of evaluations; the same one goes on")
      ->required();
  mining->add_option("--output", options->output, "The portfolio, a JSON file")->required();
  mining->add_option("--seconds", options->settings.seconds, "CPU seconds of search a program")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  mining->add_option("--members", options->settings.members, "Sequences at most")
      ->check(CLI::Range(std::size_t{1}, kMaxPortfolioMembers))
      ->capture_default_str();
  mining->add_option("--seed", options->settings.seed, "Of random choices")->capture_default_str();
  mining->add_option("--at-once", options->settings.lab.at_once, "Sessions that work at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  mining->callback([&context, options] {
    context.action = [&context, options] { return mine(context, *options); };
  });
}

}  // namespace hone
