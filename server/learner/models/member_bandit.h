// In which order to try the members of a portfolio on a program, learnt from a log of tries.
//
// Each logged try becomes a doubly robust score of every member (Dudik et al., ICML 2011),
//
//   q(x, m) + [m was tried] (reward - q(x, m)) / p,
//
// q the cross-fitted RewardModel of ope/: unbiased where the propensities are right, however skewed
// the log is. A ridge regression of the scores on the program's features, its penalty chosen by
// cross-validation over whole programs, tells what a member is worth there; a penalty without end
// leaves the members' means. What it tells is lowered by `caution` standard errors: a member that
// was seldom tried is not believed because it was lucky. Members are then ordered by what each adds
// to the best of those before (knowledge/greedy_cover), over what the log's programs had left to be
// explained, so that the second one is good where the first is not. Not thread safe while fitted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/learner/models/model_file.h"
#include "server/learner/ope/decision_log.h"

namespace hone {

struct MemberBanditSettings {
  double caution = 1;     // standard errors
  std::size_t folds = 5;  // of the cross-fitting and of the choice of the penalty
};

struct MemberGuess {
  double value = 0;  // expected reward
  double error = 0;  // its standard error
};

class MemberBandit {
 public:
  // Errors of check(); invalid_argument for fewer than 2 rows a fold. Rows of equal features are
  // one program's.
  static Result<MemberBandit> fit(const DecisionLog& log, const MemberBanditSettings& settings);
  ~MemberBandit();
  MemberBandit(MemberBandit&& other) noexcept;
  MemberBandit& operator=(MemberBandit&& other) noexcept;

  std::size_t members() const;
  std::size_t width() const;  // features
  double penalty() const;     // infinity: the features told nothing
  // For each member. `features`: width() numbers.
  std::vector<MemberGuess> guess(std::span<const double> features) const;
  // All members, the one to be tried first first.
  std::vector<std::size_t> order(std::span<const double> features) const;

  // Sets kind, settings and parts of `model`; `pipelines` are the members' sequences.
  void store(const std::vector<std::vector<std::string>>& pipelines, Model& model) const;
  // invalid_argument for parts that do not fit.
  static Result<MemberBandit> of(const Model& model);
  // The members' sequences that a model was trained with; a pipeline that may not be run is
  // invalid_argument.
  static Result<std::vector<std::vector<std::string>>> sequences_of(const Model& model);

 private:
  struct Weights;  // keeps Eigen out of the header
  explicit MemberBandit(std::unique_ptr<Weights> weights);
  std::unique_ptr<Weights> weights_;
};

}  // namespace hone
