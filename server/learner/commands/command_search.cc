// hone-learner search PROGRAM
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/programs/evaluation_subject.h"
#include "build_integration/programs/session_evaluator.h"
#include "common/base/program_beside.h"
#include "common/json/document.h"
#include "common/pipelines/o3_pipeline.h"
#include "common/search/elite_climb.h"
#include "common/search/evolution_strategy.h"
#include "common/search/genetic_search.h"
#include "common/search/portfolio_search.h"
#include "common/search/search_bandit.h"
#include "common/search/search_space.h"
#include "server/learner/commands/command.h"
#include "server/learner/commands/train_options.h"
#include "server/learner/lab/guided_search.h"
#include "server/learner/lab/module_features.h"
#include "server/learner/lab/tree_model.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;

struct SearchOptions {
  std::string program;
  std::string kind = "guided";
  std::string model;
  std::string log;
  std::size_t evaluations = 0;
  double seconds = 0;
  std::size_t width = 8;
  bool json = false;
  TrainOptions common;  // cost, portfolio, ir2vec, seed, at_once
};

// What all of a run's searches are made of.
struct Parts {
  std::vector<Sequence> portfolio;
  std::vector<float> features;
  double oz = 0;
};

Result<std::unique_ptr<SequenceSearch>> guided(const SearchOptions& options, const Parts& parts,
                                               TreeModel model) {
  GuidedSearchSettings settings;
  settings.members = parts.portfolio;
  settings.actions = std::move(model.actions);
  HONE_TRY(settings.others, search_actions(kLlvmMajor, false));
  settings.program = parts.features;
  settings.oz = parts.oz;
  settings.say = say;
  settings.width = options.width;
  settings.seed = options.common.seed;
  HONE_TRY(GuidedSearch search, GuidedSearch::create(std::move(model.trees), std::move(settings)));
  return std::make_unique<GuidedSearch>(std::move(search));
}

// The model beside what knows nothing of it.
Result<std::unique_ptr<SequenceSearch>> bandit(const SearchOptions& options, const Parts& parts,
                                               TreeModel model) {
  std::vector<BanditArm> arms;
  HONE_TRY(std::unique_ptr<SequenceSearch> first, guided(options, parts, std::move(model)));
  arms.push_back({"guided", std::move(first)});
  EliteClimbSettings climb;
  HONE_TRY(climb.actions, search_actions(kLlvmMajor, false));
  HONE_TRY(Sequence own, own_sequence(kLlvmMajor));
  climb.start = {{"default<Oz>"}, std::move(own)};
  climb.width = options.width;
  climb.seed = options.common.seed + 1;
  arms.push_back({"climb", std::make_unique<EliteClimb>(std::move(climb))});
  HONE_TRY(Forest oz, parse_pipeline(oz_pipeline(kLlvmMajor)));
  GeneticSettings genetic;
  genetic.population = 2 * options.width;
  genetic.elite = options.width / 4 + 1;
  genetic.seed = options.common.seed + 2;
  arms.push_back({"genetic", std::make_unique<GeneticSearch>(genetic, std::vector<Forest>{oz})});
  EvolutionSettings evolution;
  evolution.width = options.width;
  evolution.seed = options.common.seed + 3;
  arms.push_back({"evolution", std::make_unique<EvolutionStrategy>(evolution, std::move(oz))});
  return std::make_unique<SearchBandit>(std::move(arms));
}

Result<Model> model_of(const SearchOptions& options) {
  HONE_TRY(Model model, read_model(options.model, ModelKind::trees));
  if (model.cost != options.common.cost) {
    return fail(ErrorCode::conflict,
                fmt::format("{} predicts {}, not --cost {}", options.model,
                            model.cost.empty() ? "the rewards of its rows" : model.cost,
                            options.common.cost));
  }
  return model;
}

Result<TreeModel> trees_of(const SearchOptions& options) {
  HONE_TRY(const Model model, model_of(options));
  Result<TreeModel> trees = tree_model(model, 1);
  if (!trees) {
    return trees.error().within(options.model);
  }
  if ((trees->ir2vec > 0) != !options.common.ir2vec.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} was trained {} IR2Vec: {}", options.model,
                    trees->ir2vec > 0 ? "with" : "without",
                    trees->ir2vec > 0 ? "name the vocabulary by --ir2vec" : "leave --ir2vec away"));
  }
  return trees;
}

void print_result(const SearchResult& result, const SearchOptions& options, double oz) {
  if (options.json) {
    const Json document = {{"best", result.best},
                           {"cost", std::isfinite(result.cost) ? Json(result.cost) : Json()},
                           {"evaluations", result.evaluations},
                           {"remembered", result.remembered},
                           {"failed", result.failed},
                           {"cpu_seconds", result.cpu_seconds},
                           {"Oz", oz}};
    fmt::print("{}\n", dump_json(document));
    return;
  }
  fmt::print(
      "{}: {} by -Oz, {} by the best of {} sequences ({} failed, {} known from --log, {:.1f} "
      "CPU seconds)\n{}\n",
      options.common.cost, oz, result.cost, result.evaluations, result.failed, result.remembered,
      result.cpu_seconds, fmt::join(result.best, ","));
}

Result<void> search(const LearnerContext& context, const SearchOptions& options) {
  if (options.kind != "guided" && options.kind != "bandit") {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--search '{}' is not guided or bandit", options.kind));
  }
  if (!std::isfinite(options.seconds)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--seconds '{}' must be 0.1 to 1e7", options.seconds));
  }
  HONE_TRY(const Cost cost, trained_cost(options.common));
  HONE_TRY(TreeModel model, trees_of(options));
  Parts parts;
  HONE_TRY(const Portfolio portfolio, trained_portfolio(options.common));
  parts.portfolio = portfolio.sequences();
  HONE_TRY(ProgramLoader loader, program_loader(context));
  HONE_TRY(const Program program, loader.load(options.program));
  HONE_TRY(const std::vector<double> features,
           module_features(program.file.string(), {{}, options.common.ir2vec}));
  parts.features.assign(features.begin(), features.end());
  HONE_TRY(const std::filesystem::path sessions, program_beside_us("hone-session"));
  HONE_TRY(SessionClient client, SessionClient::start(sessions));
  SessionEvaluator evaluator(std::move(client), program.file.string(), cost,
                             options.common.at_once);
  HONE_TRY(const std::vector<Evaluation> own,
           evaluator.evaluate(std::vector<Sequence>{{"default<Oz>"}}));
  if (!own[0].cost || !(*own[0].cost > 0)) {
    return fail(ErrorCode::unsupported,
                program.uri + ": " + options.common.cost + " of the compiler's own pipeline is " +
                    (own[0].cost ? "0" : "not to be had: " + own[0].failure));
  }
  parts.oz = *own[0].cost;
  EvaluationLog log;
  if (!options.log.empty()) {
    HONE_TRY(const std::string subject, evaluation_subject(options.common.cost, program));
    HONE_TRY(log, EvaluationLog::open(options.log, subject));
  }
  HONE_TRY(const std::unique_ptr<SequenceSearch> strategy,
           options.kind == "guided" ? guided(options, parts, std::move(model))
                                    : bandit(options, parts, std::move(model)));
  SearchBudget budget;
  if (options.evaluations > 0) {
    budget.evaluations = options.evaluations;
  }
  if (options.seconds > 0) {
    budget.cpu_seconds = options.seconds;
  }
  SearchHooks hooks;
  hooks.stop = context.stop;
  HONE_TRY(SearchResult result, run_search(*strategy, evaluator, budget, log, hooks));
  if (parts.oz < result.cost) {
    // Measured above, and always to be had.
    result.best = {"default<Oz>"};
    result.cost = parts.oz;
  }
  print_result(result, options, parts.oz);
  return {};
}

}  // namespace

void add_search(CLI::App& app, LearnerContext& context) {
  CLI::App* const searching = app.add_subcommand(
      "search", "Look for a better sequence of passes, led by a model of kind trees");
  const auto options = std::make_shared<SearchOptions>();
  searching->add_option("program", options->program, "As `hone env` names them")->required();
  searching->add_option("--model", options->model, "Of train --kind trees --programs")->required();
  searching
      ->add_option("--search", options->kind,
                   "guided, or bandit: guided, climbing, genetic and evolution by turns")
      ->capture_default_str();
  searching->add_option("--cost", options->common.cost, "IrInstructionCount or ObjectTextSizeBytes")
      ->capture_default_str();
  searching
      ->add_option("--evaluations", options->evaluations,
                   "Sequences at most [500 without --seconds]")
      ->check(CLI::Range(1, 100'000'000));
  searching->add_option("--seconds", options->seconds, "CPU seconds at most")
      ->check(CLI::Range(0.1, 1e7));
  searching->add_option("--width", options->width, "Sequences evaluated at a time")
      ->check(CLI::Range(std::size_t{2}, std::size_t{1'000}))
      ->capture_default_str();
  searching->add_option("--portfolio", options->common.portfolio,
                        "Whose members are tried [the one installed for the cost]");
  searching->add_option("--ir2vec", options->common.ir2vec,
                        "IR2Vec's vocabulary, for a model that was trained with it");
  searching->add_option("--seed", options->common.seed, "Of its random choices")
      ->check(CLI::Range(std::int64_t{0}, kMaxExactInteger))
      ->capture_default_str();
  searching->add_option("--at-once", options->common.at_once, "Sessions that work at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{256}))
      ->capture_default_str();
  searching->add_option("--log", options->log,
                        "File of evaluations: the same search goes on from where it was");
  searching->add_flag("--json", options->json, "The result as one line of JSON");
  searching->callback([&context, options] {
    if (options->evaluations == 0 && options->seconds == 0) {
      options->evaluations = 500;
    }
    context.action = [&context, options] { return search(context, *options); };
  });
}

}  // namespace hone
