// Costs of segments come from running sums, so that each is a few operations. PELT's pruning: a
// last change at t can never again be the best once its cost, without a further penalty, is above
// the best so far.
#include "common/stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/stats/median.h"

namespace hone {
namespace {

constexpr double kMadToSigma = 1.4826;
// Of a series that is the same in every run, each step is a change: rounding alone is none.
constexpr double kSmallestSigma = 1e-9;

class Segments {
 public:
  explicit Segments(std::span<const SeriesPoint> series) {
    // Sums of values around the first one lose less to rounding.
    origin_ = series.empty() ? 0 : series.front().value;
    sums_.reserve(series.size() + 1);
    sums_.push_back({});
    for (const SeriesPoint& point : series) {
      Sums sums = sums_.back();
      const double value = point.value - origin_;
      sums.weight += point.weight;
      sums.value += point.weight * value;
      sums.square += point.weight * value * value;
      sums_.push_back(sums);
    }
  }

  // Weighted sum of squares around the mean of the points [first, end).
  double cost(std::size_t first, std::size_t end) const {
    const Sums part = sum(first, end);
    return std::max(0.0, part.square - part.value * part.value / part.weight);
  }

  double mean(std::size_t first, std::size_t end) const {
    const Sums part = sum(first, end);
    return origin_ + part.value / part.weight;
  }

 private:
  struct Sums {
    double weight = 0;
    double value = 0;
    double square = 0;
  };

  Sums sum(std::size_t first, std::size_t end) const {
    const Sums& a = sums_[first];
    const Sums& b = sums_[end];
    return {b.weight - a.weight, b.value - a.value, b.square - a.square};
  }

  double origin_ = 0;
  std::vector<Sums> sums_;
};

// Where the last segment may begin.
struct Start {
  std::size_t at = 0;
  // Dropped from this end on; 0: not seen to be beaten. What beats it is a change at the end where
  // that was seen, which is no choice before a whole segment has followed.
  std::size_t until = 0;
};

// The ends of all segments but the last, by the best segmentation.
std::vector<std::size_t> best_ends(const Segments& segments, std::size_t size, double penalty,
                                   std::size_t min_segment) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> best(size + 1, kNone);  // of the first points
  std::vector<std::size_t> last(size + 1, 0);
  best[0] = -penalty;
  std::vector<Start> starts;
  std::vector<double> costs;
  for (std::size_t end = min_segment; end <= size; ++end) {
    const std::size_t begin = end - min_segment;
    if (best[begin] < kNone) {
      starts.push_back({begin});
    }
    costs.clear();
    for (const Start& start : starts) {
      const double cost = best[start.at] + segments.cost(start.at, end);
      costs.push_back(cost);
      if (cost + penalty < best[end]) {
        best[end] = cost + penalty;
        last[end] = start.at;
      }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      Start start = starts[i];
      if (costs[i] > best[end] && start.until == 0) {
        start.until = end + min_segment;
      }
      if (start.until == 0 || end < start.until) {
        starts[kept++] = start;
      }
    }
    starts.resize(kept);
  }
  std::vector<std::size_t> ends;
  for (std::size_t end = last[size]; end > 0; end = last[end]) {
    ends.push_back(end);
  }
  std::ranges::reverse(ends);
  return ends;
}

}  // namespace

double neighbour_sigma(std::span<const SeriesPoint> series) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < series.size(); ++i) {
    const double spread = std::sqrt(1 / series[i - 1].weight + 1 / series[i].weight);
    differences.push_back(std::abs(series[i].value - series[i - 1].value) / spread);
  }
  return kMadToSigma * median(std::move(differences));
}

std::vector<ChangePoint> change_points(std::span<const SeriesPoint> series,
                                       const ChangePointOptions& options) {
  const std::size_t min_segment = std::max<std::size_t>(options.min_segment, 1);
  std::vector<ChangePoint> changes;
  if (series.size() < 2 * min_segment) {
    return changes;
  }
  const double sigma = std::max(neighbour_sigma(series), kSmallestSigma);
  const double penalty =
      options.penalty * sigma * sigma * std::log(static_cast<double>(series.size()));
  const Segments segments(series);
  std::vector<std::size_t> ends = best_ends(segments, series.size(), penalty, min_segment);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::size_t next = i + 1 < ends.size() ? ends[i + 1] : series.size();
    const ChangePoint change{ends[i], segments.mean(begin, ends[i]), segments.mean(ends[i], next)};
    // One that is too small to be told joins the segments on its sides.
    if (std::abs(change.after - change.before) >= options.min_change) {
      changes.push_back(change);
      begin = ends[i];
    }
  }
  return changes;
}

MergedPoints merge_points(std::span<const SeriesPoint> series, std::size_t limit) {
  MergedPoints merged;
  const std::size_t count = std::min(series.size(), std::max<std::size_t>(limit, 1));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * series.size() / count;
    const std::size_t end = (i + 1) * series.size() / count;
    SeriesPoint sum{0, 0};
    for (const SeriesPoint& point : series.subspan(first, end - first)) {
      sum.value += point.weight * point.value;
      sum.weight += point.weight;
    }
    merged.points.push_back({sum.value / sum.weight, sum.weight});
    merged.firsts.push_back(first);
  }
  return merged;
}

}  // namespace hone
