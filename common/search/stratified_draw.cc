#include "common/search/stratified_draw.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace hone {
namespace {

double rounded(double value) {
  return std::nearbyint(value * 0x1p40) * 0x1p-40;
}

// The index at which the running sum of weights passes `point`, which is below their total.
std::size_t index_at(const std::vector<std::uint64_t>& weights, std::uint64_t point) {
  std::size_t index = 0;
  while (point >= weights[index]) {
    point -= weights[index];
    ++index;
  }
  return index;
}

std::uint64_t total(const std::vector<std::uint64_t>& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
}

}  // namespace

StratifiedDraw::StratifiedDraw(std::vector<Stratum> strata) : strata_(std::move(strata)) {
  left_.reserve(strata_.size());
  for (const Stratum& stratum : strata_) {
    left_.push_back(total(stratum.member_weights));
  }
}

std::optional<Draw> StratifiedDraw::next(Random& random) {
  std::vector<std::uint64_t> active;
  active.reserve(strata_.size());
  for (std::size_t i = 0; i < strata_.size(); ++i) {
    active.push_back(left_[i] > 0 ? strata_[i].weight : 0);
  }
  const std::uint64_t active_total = total(active);
  if (active_total == 0) {
    return std::nullopt;
  }
  Draw draw;
  draw.stratum = index_at(active, random.below(active_total));
  std::vector<std::uint64_t>& weights = strata_[draw.stratum].member_weights;
  std::uint64_t& left = left_[draw.stratum];
  draw.member = index_at(weights, random.below(left));
  const double of_stratum =
      static_cast<double>(active[draw.stratum]) / static_cast<double>(active_total);
  const double of_member = static_cast<double>(weights[draw.member]) / static_cast<double>(left);
  // 0.0 + turns the -0.0 of a certain draw into 0.
  draw.log_propensity = 0.0 + rounded(std::log(of_stratum) + std::log(of_member));
  left -= weights[draw.member];
  weights[draw.member] = 0;
  return draw;
}

}  // namespace hone
