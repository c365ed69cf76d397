// Boosted trees that predict a reward from features, several of them, so that their disagreement
// says how much is known: each is trained on its own bootstrap sample of the programs (Efron 1979:
// a program's weight is drawn from Poisson(1), with all its rows, since these are not independent)
// with its own seed. One row in ten or so, whole programs, is held out of all of them to tell how
// good they are. Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"
#include "server/learner/models/boosted_trees.h"
#include "server/learner/models/model_file.h"
#include "server/learner/models/training_rows.h"

namespace hone {

struct TreeEnsembleSettings {
  std::size_t members = 5;  // boosters, 2 to kMaxEnsemble
  std::size_t rounds = 60;  // trees of each
  BoosterSettings booster;  // its seed is the ensemble's
  std::stop_token stop;
  std::function<void(std::string_view)> say = [](std::string_view) {};
};
inline constexpr std::size_t kMaxEnsemble = 64;
inline constexpr std::size_t kMaxRounds = 10'000;
inline constexpr std::size_t kMaxThreads = 64;

struct Prediction {
  double mean = 0;
  double deviation = 0;  // of the members: what more data could change, not the noise of a reward
};

class TreeEnsemble {
 public:
  // invalid_argument without rows; cancelled. `metrics` gets "rmse" of the rows held out,
  // "rmse_of_mean", what a model that knows the mean alone would have, "held_out", their number,
  // and "spread", the mean deviation there.
  static Result<TreeEnsemble> train(const TrainingRows& rows, const TreeEnsembleSettings& settings,
                                    std::map<std::string, double>& metrics);

  // `values`: rows of width() features.
  Result<std::vector<Prediction>> predict(std::span<const float> values) const;
  // Thompson sampling: one member's word for all rows. The member is drawn.
  Result<std::vector<double>> draw(std::span<const float> values, Random& random) const;

  std::size_t width() const { return width_; }
  std::size_t members() const { return members_.size(); }

  // Sets kind, settings and parts of `model`; the rest is the caller's.
  Result<void> store(Model& model) const;
  // invalid_argument for parts that do not fit.
  static Result<TreeEnsemble> of(const Model& model, std::size_t threads);

 private:
  Result<FeatureMatrix> matrix_of(std::span<const float> values) const;

  std::vector<BoostedTrees> members_;
  std::size_t width_ = 0;
  std::size_t threads_ = 1;
};

}  // namespace hone
