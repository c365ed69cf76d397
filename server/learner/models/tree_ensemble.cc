#include "server/learner/models/tree_ensemble.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::uint64_t kHeldOut = 10;  // one group in so many
// OpenMP's threads wait for each other by spinning: with few rows that is most of what they do, and
// beside other work it made 20,000 rows ten times as dear as one thread.
constexpr std::size_t kRowsOfAThread = 50'000;
constexpr std::size_t kLeastGroups = 20;  // fewer are all needed for the training

// Poisson(1) (Knuth's method).
float poisson(Random& random) {
  const double limit = std::exp(-1.0);
  int count = 0;
  for (double product = random.uniform(); product > limit; product *= random.uniform()) {
    ++count;
  }
  return static_cast<float>(count);
}

std::vector<bool> held_out_groups(std::size_t groups, std::uint64_t seed) {
  std::vector<bool> held(groups, false);
  if (groups >= kLeastGroups) {
    Random random(seed);
    for (std::size_t i = 0; i < groups; ++i) {
      held[i] = random.chance(1, kHeldOut);
    }
  }
  return held;
}

// Of each row, for one member.
std::vector<float> weights_of(const TrainingRows& rows, const std::vector<bool>& held,
                              Random& random) {
  std::vector<float> group_weights(rows.group_count());
  float sum = 0;
  for (std::size_t i = 0; i < group_weights.size(); ++i) {
    const float drawn = poisson(random);
    group_weights[i] = held[i] ? 0.0F : drawn;
    sum += group_weights[i];
  }
  if (!(sum > 0)) {
    // A sample of very few programs can come out empty.
    for (std::size_t i = 0; i < group_weights.size(); ++i) {
      group_weights[i] = held[i] ? 0.0F : 1.0F;
    }
  }
  std::vector<float> weights;
  weights.reserve(rows.rows());
  for (const std::uint32_t group : rows.groups()) {
    weights.push_back(group_weights[group]);
  }
  return weights;
}

void measure(const TrainingRows& rows, const std::vector<bool>& held,
             const std::vector<Prediction>& predicted, std::map<std::string, double>& metrics) {
  double count = 0;
  double kept = 0;
  double mean = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const bool out = held[rows.groups()[i]];
    count += out ? 1 : 0;
    kept += out ? 0 : 1;
    mean += out ? 0 : rows.rewards()[i];
  }
  mean /= std::max(kept, 1.0);
  metrics["held_out"] = count;
  if (count == 0) {
    return;
  }
  double error = 0;
  double error_of_mean = 0;
  double spread = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (held[rows.groups()[i]]) {
      const double reward = rows.rewards()[i];
      error += (predicted[i].mean - reward) * (predicted[i].mean - reward) / count;
      error_of_mean += (mean - reward) * (mean - reward) / count;
      spread += predicted[i].deviation / count;
    }
  }
  metrics["rmse"] = std::sqrt(error);
  metrics["rmse_of_mean"] = std::sqrt(error_of_mean);
  metrics["spread"] = spread;
}

Result<std::vector<Prediction>> predict_all(const std::vector<BoostedTrees>& members,
                                            const FeatureMatrix& matrix) {
  std::vector<double> sums(matrix.rows(), 0);
  std::vector<double> squares(matrix.rows(), 0);
  for (const BoostedTrees& member : members) {
    HONE_TRY(const std::vector<float> predicted, member.predict(matrix));
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const double value = predicted[i];
      sums[i] += value;
      squares[i] += value * value;
    }
  }
  const auto count = static_cast<double>(members.size());
  std::vector<Prediction> predictions(matrix.rows());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const double mean = sums[i] / count;
    const double variance = (squares[i] - sums[i] * mean) / (count - 1);
    predictions[i] = {mean, std::sqrt(std::max(variance, 0.0))};
  }
  return predictions;
}

Result<void> check_settings(const TrainingRows& rows, const TreeEnsembleSettings& settings) {
  const auto within = [](std::size_t value, std::size_t low, std::size_t high) {
    return value >= low && value <= high;
  };
  if (rows.rows() == 0) {
    return fail(ErrorCode::invalid_argument, "there are no rows to be learned from");
  }
  if (!within(settings.members, 2, kMaxEnsemble) || !within(settings.rounds, 1, kMaxRounds) ||
      !within(settings.booster.threads, 1, kMaxThreads)) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} boosters of {} rounds by {} threads: must be 2 to {}, 1 to {} and 1 "
                    "to {}",
                    settings.members, settings.rounds, settings.booster.threads, kMaxEnsemble,
                    kMaxRounds, kMaxThreads));
  }
  return {};
}

}  // namespace

Result<TreeEnsemble> TreeEnsemble::train(const TrainingRows& rows,
                                         const TreeEnsembleSettings& settings,
                                         std::map<std::string, double>& metrics) {
  HONE_CHECK(check_settings(rows, settings));
  TreeEnsemble made;
  made.width_ = rows.features().size();
  made.threads_ =
      std::clamp(rows.rows() / kRowsOfAThread, std::size_t{1}, settings.booster.threads);
  HONE_TRY(FeatureMatrix matrix, made.matrix_of(rows.values()));
  HONE_CHECK(matrix.set_targets(rows.rewards()));
  const std::vector<bool> held = held_out_groups(rows.group_count(), settings.booster.seed);
  Random random(settings.booster.seed);
  for (std::size_t i = 0; i < settings.members; ++i) {
    HONE_CHECK(matrix.set_weights(weights_of(rows, held, random)));
    BoosterSettings booster = settings.booster;
    booster.seed = random.bits();
    booster.threads = made.threads_;
    HONE_TRY(BoostedTrees trees, BoostedTrees::create(matrix, booster));
    for (std::size_t round = 0; round < settings.rounds; ++round) {
      if (settings.stop.stop_requested()) {
        return fail(ErrorCode::cancelled, "stopped before the trees were trained");
      }
      HONE_CHECK(trees.update(matrix, static_cast<int>(round)));
    }
    made.members_.push_back(std::move(trees));
    settings.say(fmt::format("booster {} of {}: {} rounds over {} rows", i + 1, settings.members,
                             settings.rounds, rows.rows()));
  }
  HONE_TRY(const std::vector<Prediction> predicted, predict_all(made.members_, matrix));
  measure(rows, held, predicted, metrics);
  return made;
}

Result<FeatureMatrix> TreeEnsemble::matrix_of(std::span<const float> values) const {
  if (width_ == 0 || values.size() % width_ != 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} numbers are no rows of {} features", values.size(), width_));
  }
  return FeatureMatrix::create(values, width_, threads_);
}

Result<std::vector<Prediction>> TreeEnsemble::predict(std::span<const float> values) const {
  HONE_TRY(const FeatureMatrix matrix, matrix_of(values));
  return predict_all(members_, matrix);
}

Result<std::vector<double>> TreeEnsemble::draw(std::span<const float> values,
                                               Random& random) const {
  HONE_TRY(const FeatureMatrix matrix, matrix_of(values));
  HONE_TRY(const std::vector<float> predicted,
           members_[random.below(members_.size())].predict(matrix));
  return std::vector<double>(predicted.begin(), predicted.end());
}

Result<void> TreeEnsemble::store(Model& model) const {
  model.kind = ModelKind::trees;
  model.settings = {{"members", members_.size()}};
  model.parts.clear();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    HONE_TRY(std::string bytes, members_[i].save());
    model.parts.push_back({fmt::format("booster-{}", i), std::move(bytes)});
  }
  return {};
}

Result<TreeEnsemble> TreeEnsemble::of(const Model& model, std::size_t threads) {
  Problems problems;
  ObjectReader reader(model.settings, "/settings", problems, UnknownKeys::refuse);
  const std::int64_t members =
      reader.integer("members", 2, static_cast<std::int64_t>(kMaxEnsemble));
  reader.finish();
  if (auto error = problems.as_error("model of kind trees")) {
    return *std::move(error);
  }
  TreeEnsemble made;
  made.width_ = model.features.size();
  made.threads_ = threads;
  for (std::int64_t i = 0; i < members; ++i) {
    HONE_TRY(const std::string_view bytes, model.part(fmt::format("booster-{}", i)));
    HONE_TRY(BoostedTrees trees, BoostedTrees::load(bytes, made.width_, threads));
    made.members_.push_back(std::move(trees));
  }
  return made;
}

}  // namespace hone
