// hone env search PROGRAM
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/command_env.h"
#include "build_integration/cli/env_programs.h"
#include "build_integration/cli/env_search.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/state_file.h"
#include "build_integration/cli/terminal.h"
#include "build_integration/programs/evaluation_subject.h"
#include "build_integration/programs/session_evaluator.h"
#include "common/base/program_beside.h"
#include "common/json/document.h"
#include "common/search/portfolio.h"
#include "common/search/synergy_graph.h"
#include "common/sessions/opt_command.h"

namespace hone {
namespace {

constexpr std::string_view kInstalled = "installed";
constexpr std::string_view kCostChoices =
    "IrInstructionCount, ObjectTextSizeBytes, TextSizeBytes, Runtime";

struct SearchOptions {
  std::string program;
  std::string kind = "hill-climb";
  std::string cost = "IrInstructionCount";
  SearchSettings settings;
  std::size_t evaluations = 0;
  double seconds = 0;
  std::size_t at_once = 2;
  std::string portfolio;
  std::string synergy;
  std::string log;
  std::string write_state;
  std::vector<std::string> datasets;
  LinkedSettings linked;
};

std::filesystem::path installed_portfolio(const SearchOptions& options) {
  return shared_file(fmt::format("portfolios/llvm-19-{}.json", options.cost));
}

Result<SynergyGraph> synergy_of(const SearchOptions& options) {
  const std::filesystem::path file =
      options.synergy == kInstalled
          ? shared_file(fmt::format("portfolios/synergy-llvm-19-{}.json", options.cost))
          : std::filesystem::path(options.synergy);
  HONE_TRY(SynergyGraph graph, read_synergy_graph(file));
  if (graph.cost != options.cost) {
    return fail(ErrorCode::invalid_argument, fmt::format("--synergy {} is of {}, not of --cost {}",
                                                         file.string(), graph.cost, options.cost));
  }
  return graph;
}

Result<SearchSettings> settings_of(const SearchOptions& options) {
  SearchSettings settings = options.settings;
  const std::optional<SearchKind> kind = parse_search_kind(options.kind);
  if (!kind) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--search '{}' is not {}", options.kind, kSearchKindChoices));
  }
  settings.kind = *kind;
  if (!options.synergy.empty()) {
    HONE_TRY(const SynergyGraph graph, synergy_of(options));
    settings.successors = graph.weights();
  }
  const bool is_installed = exists(installed_portfolio(options));
  if (*kind == SearchKind::portfolio ||
      (*kind == SearchKind::bandit && (is_installed || !options.portfolio.empty()))) {
    // The one that was mined for this cost is installed beside us.
    const std::filesystem::path file = options.portfolio.empty()
                                           ? installed_portfolio(options)
                                           : std::filesystem::path(options.portfolio);
    const Result<Portfolio> read = read_portfolio(file);
    if (!read && read.error().code == ErrorCode::not_found && options.portfolio.empty()) {
      return fail(
          ErrorCode::not_found,
          fmt::format("no portfolio for {} is installed ({} is not there): name one of your "
                      "own by --portfolio",
                      options.cost, file.string()));
    }
    HONE_TRY(const Portfolio portfolio, read);
    if (portfolio.cost != options.cost) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} is for {}, not for --cost {}", file.string(), portfolio.cost,
                              options.cost));
    }
    settings.portfolio = portfolio.sequences();
  }
  return settings;
}

// What the compiler itself makes of the program, to compare with.
struct Baselines {
  double o0 = 0;
  double o3 = 0;
  double oz = 0;
};
Result<Baselines> baselines_of(SessionEvaluator& evaluator) {
  const std::vector<Sequence> sequences = {{}, {"default<O3>"}, {"default<Oz>"}};
  HONE_TRY(const std::vector<Evaluation> evaluations, evaluator.evaluate(sequences));
  for (const Evaluation& evaluation : evaluations) {
    if (!evaluation.cost) {
      return fail(ErrorCode::internal, "the compiler's own pipeline: " + evaluation.failure);
    }
  }
  return Baselines{*evaluations[0].cost, *evaluations[1].cost, *evaluations[2].cost};
}

Json to_json(const SearchResult& result, const Baselines& baselines) {
  return {{"best", result.best},
          {"cost", std::isfinite(result.cost) ? Json(result.cost) : Json()},
          {"evaluations", result.evaluations},
          {"remembered", result.remembered},
          {"failed", result.failed},
          {"cpu_seconds", result.cpu_seconds},
          {"unoptimised", baselines.o0},
          {"O3", baselines.o3},
          {"Oz", baselines.oz}};
}

std::string compared(double cost, double oz) {
  if (cost == oz) {
    return "as much as -Oz";
  }
  if (!(cost > 0) || !(oz > 0)) {
    return fmt::format("{} by -Oz, of which there is no ratio", oz);
  }
  return cost < oz ? fmt::format("{:.3f} times less than -Oz", oz / cost)
                   : fmt::format("{:.3f} times more than -Oz", cost / oz);
}

void print_result(const SearchResult& result, const Baselines& baselines, std::string_view cost) {
  std::string pipelines;
  for (const std::string& pipeline : result.best) {
    pipelines += (pipelines.empty() ? "" : ",") + pipeline;
  }
  print(
      fmt::format("{}: {} unoptimised, {} by -O3, {} by -Oz, {} by the best of {} sequences\n"
                  "({} failed, {} known from --log, {:.1f} CPU seconds): {}\n{}\n",
                  cost, baselines.o0, baselines.o3, baselines.oz, result.cost, result.evaluations,
                  result.failed, result.remembered, result.cpu_seconds,
                  compared(result.cost, baselines.oz), pipelines));
}

Result<int> search(const CommandContext& context, const SearchOptions& options) {
  const std::optional<RewardSpace> space = parse_reward_space(options.cost);
  if (!space || space->form != RewardForm::difference) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--cost '{}' is not one of {}", options.cost, kCostChoices));
  }
  if (!std::isfinite(options.seconds)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--seconds '{}' must be 0.1 to 1e7", options.seconds));
  }
  HONE_TRY(const SearchSettings settings, settings_of(options));
  HONE_TRY(const std::unique_ptr<SequenceSearch> strategy, make_search(settings));
  HONE_TRY(ProgramLoader programs, env_programs(options.datasets, context.stop));
  HONE_TRY(const Program program, programs.load(options.program));
  HONE_TRY(SessionClient client, start_sessions());
  const auto begin = std::chrono::steady_clock::now();
  std::optional<LinkedProgram> linked;
  if (is_linked(observation_of(space->cost))) {
    // The baselines are sequences of ours.
    linked.emplace(program, options.linked, nullptr, context.stop);
  }
  // Nothing else is at work while a run is timed.
  const std::size_t at_once = space->cost == Cost::runtime ? 1 : options.at_once;
  SessionEvaluator evaluator(std::move(client), program.file.string(), space->cost, at_once,
                             std::move(linked));
  HONE_TRY(const Baselines baselines, baselines_of(evaluator));
  EvaluationLog log;
  if (!options.log.empty()) {
    HONE_TRY(const std::string subject, evaluation_subject(options.cost, program));
    HONE_TRY(log, EvaluationLog::open(options.log, subject));
  }
  SearchBudget budget;
  if (options.evaluations > 0) {
    budget.evaluations = options.evaluations;
  }
  if (options.seconds > 0) {
    budget.cpu_seconds = options.seconds;
  }
  SearchHooks hooks;
  hooks.stop = context.stop;
  if (!context.json && is_terminal(STDERR_FILENO)) {
    hooks.on_batch = [](const SearchResult& so_far) {
      fmt::print(stderr, "\r{} sequences, best {}\x1b[K", so_far.evaluations, so_far.cost);
    };
  }
  HONE_TRY(SearchResult result, run_search(*strategy, evaluator, budget, log, hooks));
  if (!settings.portfolio.empty() && baselines.oz < result.cost) {
    // Measured as a baseline, and always to be had: what a portfolio is said to gain counts it.
    result.best = {"default<Oz>"};
    result.cost = baselines.oz;
  }
  if (hooks.on_batch) {
    fmt::print(stderr, "\n");
  }
  if (context.json) {
    print_json(to_json(result, baselines));
  } else {
    print_result(result, baselines, options.cost);
  }
  if (!std::isfinite(result.cost)) {
    return kExitFailed;
  }
  if (!options.write_state.empty()) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EpisodeState state;
    state.benchmark = program.uri;
    const RewardForm form = space->cost == Cost::runtime ? RewardForm::difference : RewardForm::oz;
    state.reward = reward(form, {baselines.o0, baselines.oz}, baselines.o0, result.cost);
    state.walltime = took.count();
    state.commandline = opt_command(result.best);
    HONE_CHECK(append_state(options.write_state, state));
  }
  return kExitOk;
}

}  // namespace

void add_env_search(CLI::App& env, CommandContext& context) {
  CLI::App* const searching = env.add_subcommand("search", "Look for a better sequence of passes");
  const auto options = std::make_shared<SearchOptions>();
  searching->add_option("program", options->program, std::string(kProgramHelp))->required();
  searching->add_option("--search", options->kind, std::string(kSearchKindChoices))
      ->capture_default_str();
  searching->add_option("--cost", options->cost, std::string(kCostChoices))->capture_default_str();
  searching
      ->add_option("--evaluations", options->evaluations,
                   "Sequences at most [500 without --seconds]")
      ->check(CLI::Range(1, 100'000'000));
  searching->add_option("--seconds", options->seconds, "CPU seconds at most")
      ->check(CLI::Range(0.1, 1e7));
  searching->add_option("--length", options->settings.length, "Pipelines of a sequence at most")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  searching->add_option("--width", options->settings.width, "Sequences evaluated at a time")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  searching->add_flag("--passes-only", options->settings.passes_only,
                      "Without whole pipelines (default<Oz> ...) among random's, greedy's and "
                      "hill climbing's actions");
  searching->add_option("--portfolio", options->portfolio,
                        "File of what the searches 'portfolio' and 'bandit' try first [the "
                        "installed one]");
  searching->add_option(
      "--synergy", options->synergy,
      "Synergy graph by which climbing, genetic and evolution draw passes: a file "
      "of hone-learner mine, or 'installed' [none: all passes alike]");
  searching->add_option("--seed", options->settings.seed, "Of its random choices")
      ->check(CLI::Range(std::int64_t{0}, kMaxExactInteger))
      ->capture_default_str();
  searching->add_option("--at-once", options->at_once, "Sessions that work at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  searching->add_option("--log", options->log,
                        "File of evaluations: the same search goes on from where it was");
  searching->add_option("--write-state", options->write_state,
                        "CSV file that the best is added to as CompilerGym writes it, with the "
                        "cost's reward against -Oz (of Runtime: the seconds that it gained)");
  add_linked_options(*searching, options->linked);
  add_dataset_option(*searching, options->datasets);
  searching->callback([&context, options] {
    if (options->evaluations == 0 && options->seconds == 0) {
      options->evaluations = 500;
    }
    context.action = [&context, options] { return search(context, *options); };
  });
}

}  // namespace hone
