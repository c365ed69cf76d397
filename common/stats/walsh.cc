#include "common/stats/walsh.h"

#include <algorithm>
#include <cmath>

#include "common/stats/median.h"

namespace hone {
namespace {

double nth(std::vector<double>& values, std::size_t index) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

std::vector<double> walsh_averages(std::span<const double> values) {
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) {
      averages.push_back(values[i] + (values[j] - values[i]) / 2);
    }
  }
  return averages;
}

double hodges_lehmann(std::span<const double> values) {
  return median(walsh_averages(values));
}

Interval walsh_interval(std::span<const double> values, double multiplier) {
  const auto n = static_cast<double>(values.size());
  const double mean = n * (n + 1) / 4;
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  const double k = std::floor(mean - multiplier * deviation);
  return walsh_interval_at(values, k > 0 ? static_cast<std::size_t>(k) : 0);
}

Interval walsh_interval_at(std::span<const double> values, std::size_t k) {
  std::vector<double> averages = walsh_averages(values);
  if (averages.empty()) {
    return {};
  }
  const std::size_t rank = std::min(k, (averages.size() - 1) / 2);
  const double low = nth(averages, rank);
  const double high = nth(averages, averages.size() - 1 - rank);
  return {low, median(std::move(averages)), high};
}

}  // namespace hone
