// hone-learner train --kind trees, --kind bandit
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "server/learner/commands/lab_rows.h"
#include "server/learner/commands/train_options.h"
#include "server/learner/models/member_bandit.h"
#include "server/learner/models/tree_ensemble.h"

namespace hone {
namespace {

void describe(const TrainingRows& rows, const TrainOptions& options, Model& model) {
  model.feature_version = rows.version();
  model.features = rows.features();
  model.data.rows = rows.rows();
  model.data.first = rows.first();
  model.data.last = rows.last();
  model.data.source =
      options.rows.empty() ? "sessions" : std::filesystem::path(options.rows).filename().string();
  model.data.programs = rows.programs();
  model.cost = options.rows.empty() ? options.cost : "";
}

}  // namespace

Result<void> train_trees(const LearnerContext& context, const TrainOptions& options) {
  std::optional<TrainingRows> rows;
  if (options.rows.empty()) {
    HONE_TRY(const Portfolio portfolio, trained_portfolio(options));
    HONE_TRY(rows, rows_of_edits(context, options, portfolio));
  } else {
    HONE_TRY(rows, read_training_rows(options.rows));
    say(fmt::format("{} rows of {} features read", rows->rows(), rows->features().size()));
  }
  TreeEnsembleSettings settings;
  settings.members = options.ensemble;
  settings.rounds = options.rounds;
  settings.booster.threads = options.threads;
  settings.booster.seed = options.seed;
  settings.stop = context.stop;
  settings.say = say;
  Model model;
  HONE_TRY(const TreeEnsemble ensemble, TreeEnsemble::train(*rows, settings, model.metrics));
  describe(*rows, options, model);
  HONE_CHECK(ensemble.store(model));
  const std::map<std::string, double> metrics = model.metrics;
  HONE_CHECK(write_trained(std::move(model), options));
  if (metrics.contains("rmse")) {
    fmt::print(
        "{}: {} boosters from {} rows; error {:.4f} on {:.0f} rows of programs held out, "
        "{:.4f} by the mean alone\n",
        options.output, ensemble.members(), rows->rows(), metrics.at("rmse"),
        metrics.at("held_out"), metrics.at("rmse_of_mean"));
  } else {
    fmt::print("{}: {} boosters from {} rows; too few programs to hold some out\n", options.output,
               ensemble.members(), rows->rows());
  }
  return {};
}

Result<void> train_bandit(const LearnerContext& context, const TrainOptions& options) {
  HONE_TRY(const Portfolio portfolio, trained_portfolio(options));
  std::optional<TrainingRows> rows;
  if (options.rows.empty()) {
    HONE_TRY(rows, rows_of_members(context, options, portfolio));
  } else {
    HONE_TRY(rows, read_training_rows(options.rows));
  }
  if (rows->members() != portfolio.members.size()) {
    return fail(ErrorCode::conflict,
                fmt::format("{} chooses among {} members, the portfolio has {}", options.rows,
                            rows->members(), portfolio.members.size()));
  }
  HONE_TRY(const DecisionLog log, rows->decisions());
  HONE_TRY(const MemberBandit bandit, MemberBandit::fit(log, {}));
  Model model;
  describe(*rows, options, model);
  const bool flat = std::isinf(bandit.penalty());
  model.metrics["features_used"] = flat ? 0 : 1;
  bandit.store(portfolio.sequences(), model);
  HONE_CHECK(write_trained(std::move(model), options));
  fmt::print("{}: {} members from {} tries on {} programs; {}\n", options.output, bandit.members(),
             rows->rows(), rows->programs().size(),
             flat ? "features tell nothing, so that all programs have one order"
                  : fmt::format("penalty {}", bandit.penalty()));
  return {};
}

}  // namespace hone
