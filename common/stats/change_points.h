// Where the level of a series changes, by PELT: Killick, Fearnhead and Eckley, "Optimal detection
// of changepoints with a linear computational cost", JASA 107 (2012), 1590-1598.
//
// Model: independent values around a level that is constant between changes, with one standard
// deviation throughout. PELT finds the exact minimum of the sum of squares within segments plus a
// penalty for each change. Thread safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone {

// One value of a series in its order: a measurement, or the mean of `weight` of them.
struct SeriesPoint {
  double value = 0;
  double weight = 1;  // above 0
};

struct ChangePointOptions {
  // Of a change, in units of the variance times the natural logarithm of the series' length. The
  // information criterion of Schwarz would be 2 for a level and a place; real machines drift a
  // little, and a false alarm costs more than a late one.
  double penalty = 4;
  std::size_t min_segment = 5;  // points; at least 1
  double min_change = 0;        // smaller differences of level are no change
};

struct ChangePoint {
  std::size_t index = 0;  // first point of the new level
  double before = 0;      // the two levels: weighted means of the segments
  double after = 0;
};

// In order; empty for a series of fewer than two segments' points, or without a change. The costs
// are quadratic in the number of points where nothing changes: merge_points() first.
std::vector<ChangePoint> change_points(std::span<const SeriesPoint> series,
                                       const ChangePointOptions& options = {});

// The standard deviation of one measurement (weight 1), from the differences between neighbours, so
// that changes of level do not count: 1.4826 * median |difference| / its weight's share. 0 for
// fewer than two points.
double neighbour_sigma(std::span<const SeriesPoint> series);

// Neighbours merged into at most `limit` points (>= 1) of as many points each, give or take one;
// point i then holds those from firsts[i] on.
struct MergedPoints {
  std::vector<SeriesPoint> points;
  std::vector<std::size_t> firsts;
};
MergedPoints merge_points(std::span<const SeriesPoint> series, std::size_t limit);

}  // namespace hone
