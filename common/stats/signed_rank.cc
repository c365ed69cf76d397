#include "common/stats/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/stats/normal.h"

namespace hone {
namespace {

struct Magnitude {
  double size = 0;
  bool positive = false;
};

// The number of subsets of {1..n} with each sum, as probabilities: each subset has weight 2^-n.
std::vector<double> rank_sum_distribution(std::size_t n) {
  std::vector<double> probability(n * (n + 1) / 2 + 1, 0.0);
  probability[0] = 1;
  std::size_t largest = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    largest += rank;
    for (std::size_t sum = largest + 1; sum-- > 0;) {
      const double with = sum >= rank ? probability[sum - rank] : 0;
      probability[sum] = 0.5 * (probability[sum] + with);
    }
  }
  return probability;
}

int sign_at(const SignedRank& rank, double multiplier) {
  const double reach = multiplier * std::sqrt(rank.variance);
  const double deviation = rank.positive_sum - rank.mean;
  if (rank.variance <= 0 || std::abs(deviation) < reach) {
    return 0;
  }
  return deviation > 0 ? 1 : -1;
}

SignedRank signed_rank_of_shifted(std::span<const double> values, double shift) {
  SignedRank result;
  result.n = values.size();
  std::vector<Magnitude> magnitudes;
  magnitudes.reserve(values.size());
  for (const double value : values) {
    magnitudes.push_back({std::abs(value - shift), value > shift});
  }
  std::ranges::sort(magnitudes, {}, &Magnitude::size);
  // Groups of equal size share the mean of their ranks. With a rank r_i for each value that is not
  // zero, W+ is a sum of independent r_i * {0 or 1}: mean sum(r_i)/2, variance sum(r_i^2)/4.
  for (std::size_t first = 0; first < magnitudes.size();) {
    std::size_t end = first;
    std::size_t positive = 0;
    while (end < magnitudes.size() && magnitudes[end].size == magnitudes[first].size) {
      positive += magnitudes[end].positive ? 1U : 0U;
      ++end;
    }
    const std::size_t count = end - first;
    if (magnitudes[first].size == 0) {
      result.zeros = count;
    } else {
      const double rank = static_cast<double>(first + 1 + end) / 2;
      result.positive_sum += rank * static_cast<double>(positive);
      result.mean += rank * static_cast<double>(count) / 2;
      result.variance += rank * rank * static_cast<double>(count) / 4;
      result.ties = result.ties || count > 1;
    }
    first = end;
  }
  return result;
}

}  // namespace

SignedRank signed_rank(std::span<const double> values) {
  return signed_rank_of_shifted(values, 0);
}

int signed_rank_sign(std::span<const double> values, double multiplier) {
  return sign_at(signed_rank(values), multiplier);
}

int signed_rank_sign(std::span<const double> values, double shift, double multiplier) {
  return sign_at(signed_rank_of_shifted(values, shift), multiplier);
}

double signed_rank_cdf(std::size_t n, std::size_t w) {
  const std::vector<double> probability = rank_sum_distribution(std::min(n, kExactSignedRankLimit));
  double sum = 0;
  for (std::size_t i = 0; i <= w && i < probability.size(); ++i) {
    sum += probability[i];
  }
  return std::min(sum, 1.0);
}

std::size_t signed_rank_rejected(std::size_t n, double p) {
  const std::vector<double> probability = rank_sum_distribution(std::min(n, kExactSignedRankLimit));
  double sum = 0;
  std::size_t count = 0;
  for (const double mass : probability) {
    sum += mass;
    if (sum > p) {
      break;
    }
    ++count;
  }
  return count;
}

double signed_rank_p_value(std::span<const double> values) {
  const SignedRank rank = signed_rank(values);
  if (rank.variance <= 0) {
    return 1;
  }
  if (rank.n <= kExactSignedRankLimit && rank.zeros == 0 && !rank.ties) {
    const double smaller = std::min(rank.positive_sum, 2 * rank.mean - rank.positive_sum);
    return std::min(1.0, 2 * signed_rank_cdf(rank.n, static_cast<std::size_t>(smaller)));
  }
  const double deviation = std::max(0.0, std::abs(rank.positive_sum - rank.mean) - 0.5);
  return std::min(1.0, 2 * normal_cdf(-deviation / std::sqrt(rank.variance)));
}

}  // namespace hone
