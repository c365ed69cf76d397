#include "server/learner/ope/off_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include <boost/math/distributions/students_t.hpp>

#include "server/learner/ope/reward_model.h"

namespace hone {
namespace {

constexpr double kSumTolerance = 1e-6;

// What one row says of a policy.
struct Row {
  double weight = 0;
  double direct = 0;  // sum_a pi(a|x) q(x, a)
  double reward = 0;
  double doubly_robust = 0;
};

Result<void> check_settings(const DecisionLog& log, const OffPolicySettings& settings) {
  if (settings.folds < 2 || !(settings.confidence > 0.5) || !(settings.confidence < 1)) {
    return fail(ErrorCode::invalid_argument,
                "folds must be at least 2 and confidence between 0.5 and 1, not " +
                    std::to_string(settings.folds) + " and " + std::to_string(settings.confidence));
  }
  if (log.rows.size() < 2 * settings.folds) {
    return fail(ErrorCode::invalid_argument,
                "a log of " + std::to_string(log.rows.size()) + " decisions: must have at least " +
                    std::to_string(2 * settings.folds) + " (two a fold)");
  }
  return {};
}

Result<std::vector<double>> probabilities(const PolicyProbabilities& policy,
                                          const LoggedDecision& row, std::size_t actions) {
  std::vector<double> made = policy(row.features);
  const double sum = std::accumulate(made.begin(), made.end(), 0.0);
  const bool fits = made.size() == actions && std::abs(sum - 1) < kSumTolerance &&
                    std::ranges::all_of(made, [](double p) { return p >= 0; });
  if (!fits) {
    return fail(ErrorCode::invalid_argument, "the policy gave " + std::to_string(made.size()) +
                                                 " probabilities that add up to " +
                                                 std::to_string(sum) + ", not " +
                                                 std::to_string(actions) + " that add up to 1");
  }
  return made;
}

Result<std::vector<Row>> rows_of(const DecisionLog& log, const PolicyProbabilities& policy,
                                 std::size_t folds) {
  const std::vector<std::vector<double>> predictions = predict_cross_fitted(log, folds);
  std::vector<Row> rows(log.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LoggedDecision& logged = log.rows[i];
    const std::vector<double>& predicted = predictions[i];
    HONE_TRY(const std::vector<double> chances, probabilities(policy, logged, log.actions));
    Row& row = rows[i];
    row.weight = chances[logged.action] / std::exp(logged.log_propensity);
    row.reward = logged.reward;
    row.direct = std::inner_product(chances.begin(), chances.end(), predicted.begin(), 0.0);
    row.doubly_robust = row.direct + row.weight * (logged.reward - predicted[logged.action]);
  }
  return rows;
}

// The sums of `numbers` (one a row) over the log's groups.
std::vector<double> by_group(const DecisionLog& log, const std::vector<double>& numbers) {
  if (log.groups.empty()) {
    return numbers;
  }
  std::unordered_map<std::size_t, std::size_t> places;
  std::vector<double> sums;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [place, fresh] = places.emplace(log.groups[i], sums.size());
    if (fresh) {
      sums.push_back(0);
    }
    sums[place->second] += numbers[i];
  }
  return sums;
}

double effective_size(const DecisionLog& log, const std::vector<Row>& rows) {
  std::vector<double> weights;
  weights.reserve(rows.size());
  for (const Row& row : rows) {
    weights.push_back(row.weight);
  }
  double sum = 0;
  double squares = 0;
  for (const double weight : by_group(log, weights)) {
    sum += weight;
    squares += weight * weight;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

// Student's interval of the mean of `contributions` (one a row), with as many degrees of freedom as
// the effective sample has.
OffPolicyEstimate mean_of(const DecisionLog& log, const std::vector<double>& contributions,
                          double effective, double confidence) {
  const auto count = static_cast<double>(contributions.size());
  OffPolicyEstimate estimate;
  estimate.value = std::accumulate(contributions.begin(), contributions.end(), 0.0) / count;
  std::vector<double> off;
  off.reserve(contributions.size());
  for (const double contribution : contributions) {
    off.push_back(contribution - estimate.value);
  }
  const std::vector<double> groups = by_group(log, off);
  double squares = 0;
  for (const double sum : groups) {
    squares += sum * sum;
  }
  const auto independent = static_cast<double>(groups.size());
  const double error = independent > 1
                           ? std::sqrt(squares * independent / (independent - 1)) / count
                           : std::numeric_limits<double>::infinity();
  const boost::math::students_t student(std::max(1.0, effective - 1));
  const double half = boost::math::quantile(student, 0.5 + confidence / 2) * error;
  estimate.low = estimate.value - half;
  estimate.high = estimate.value + half;
  return estimate;
}

template <class Contribution>
OffPolicyEstimate mean_over(const DecisionLog& log, const std::vector<Row>& rows, double effective,
                            double confidence, Contribution contribution) {
  std::vector<double> contributions;
  contributions.reserve(rows.size());
  for (const Row& row : rows) {
    contributions.push_back(contribution(row));
  }
  return mean_of(log, contributions, effective, confidence);
}

}  // namespace

Result<OffPolicyResult> evaluate_off_policy(const DecisionLog& log,
                                            const PolicyProbabilities& policy,
                                            const OffPolicySettings& settings) {
  HONE_CHECK(check(log));
  HONE_CHECK(check_settings(log, settings));
  HONE_TRY(const std::vector<Row> rows, rows_of(log, policy, settings.folds));
  OffPolicyResult result;
  result.rows = rows.size();
  result.effective_sample_size = effective_size(log, rows);
  if (!(result.effective_sample_size > 0)) {
    return fail(ErrorCode::unsupported,
                "the policy takes none of the decisions in the log, which says nothing about it");
  }
  const auto count = static_cast<double>(rows.size());
  double weights = 0;
  double weighted = 0;
  for (const Row& row : rows) {
    result.direct += row.direct / count;
    result.largest_weight = std::max(result.largest_weight, row.weight);
    weights += row.weight;
    weighted += row.weight * row.reward;
  }
  const auto mean = [&](auto contribution) {
    return mean_over(log, rows, result.effective_sample_size, settings.confidence, contribution);
  };
  result.weight = mean([](const Row& row) { return row.weight; });
  result.ips = mean([](const Row& row) { return row.weight * row.reward; });
  // The ratio, linearised around itself (delta method).
  const double ratio = weighted / weights;
  result.snips = mean([&](const Row& row) {
    return ratio + row.weight * (row.reward - ratio) / (weights / count);
  });
  result.doubly_robust = mean([](const Row& row) { return row.doubly_robust; });
  return result;
}

Result<OffPolicyEstimate> compare_off_policy(const DecisionLog& log,
                                             const PolicyProbabilities& policy,
                                             const PolicyProbabilities& current,
                                             const OffPolicySettings& settings) {
  HONE_CHECK(check(log));
  HONE_CHECK(check_settings(log, settings));
  HONE_TRY(const std::vector<Row> made, rows_of(log, policy, settings.folds));
  HONE_TRY(const std::vector<Row> now, rows_of(log, current, settings.folds));
  std::vector<double> differences;
  differences.reserve(made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    differences.push_back(made[i].doubly_robust - now[i].doubly_robust);
  }
  const double effective = std::min(effective_size(log, made), effective_size(log, now));
  if (!(effective > 0)) {
    return fail(ErrorCode::unsupported,
                "one of the policies takes none of the decisions in the log");
  }
  return mean_of(log, differences, effective, settings.confidence);
}

}  // namespace hone
