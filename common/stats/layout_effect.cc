#include "common/stats/layout_effect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace hone {
namespace {

struct Group {
  double sum = 0;
  double squares = 0;
  double count = 0;
};

// The component of one side, or nothing where there is too little to tell.
std::optional<double> between_variance(std::span<const LayoutSample> samples,
                                       std::size_t LayoutSample::* layout) {
  std::map<std::size_t, Group> groups;
  double sum = 0;
  for (const LayoutSample& sample : samples) {
    Group& group = groups[sample.*layout];
    group.sum += sample.log_ratio;
    group.squares += sample.log_ratio * sample.log_ratio;
    group.count += 1;
    sum += sample.log_ratio;
  }
  const auto n = static_cast<double>(samples.size());
  const auto k = static_cast<double>(groups.size());
  if (k < 2 || n < 2 * k) {
    return std::nullopt;
  }
  double between = 0;
  double within = 0;
  double counts_squared = 0;
  for (const auto& [number, group] : groups) {
    const double mean = group.sum / group.count;
    between += group.count * (mean - sum / n) * (mean - sum / n);
    within += group.squares - group.count * mean * mean;
    counts_squared += group.count * group.count;
  }
  const double group_size = (n - counts_squared / n) / (k - 1);
  return (between / (k - 1) - within / (n - k)) / group_size;
}

}  // namespace

std::size_t LayoutDeck::draw(Random& random) {
  if (left_.empty()) {
    for (std::size_t layout = 0; layout < layouts_; ++layout) {
      left_.push_back(layout);
    }
    random.shuffle(left_);
  }
  const std::size_t drawn = left_.back();
  left_.pop_back();
  return drawn;
}

double layout_sigma(std::span<const LayoutSample> samples) {
  const std::optional<double> baseline = between_variance(samples, &LayoutSample::baseline_layout);
  const std::optional<double> candidate =
      between_variance(samples, &LayoutSample::candidate_layout);
  double sum = 0;
  double sides = 0;
  for (const std::optional<double>& side : {baseline, candidate}) {
    sum += side.value_or(0);
    sides += side.has_value() ? 1 : 0;
  }
  return sides > 0 ? std::sqrt(std::max(sum / sides, 0.0)) : 0.0;
}

double layout_difference(double sigma, std::size_t layouts) {
  return 1.96 * sigma * std::sqrt(2.0 / static_cast<double>(layouts));
}

}  // namespace hone
