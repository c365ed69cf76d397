// The pairs of a comparison as a picture. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/stats/interval.h"
#include "common/stats/paired_sample.h"

namespace hone {

// For a terminal, `width` columns wide (40 to 200 are used): a dot a pair, stacked over its value
// in percent, and below them the interval with its estimate. "" for no pairs. Ends with a newline.
std::string pair_plot(const std::vector<PairedSample>& pairs, const Interval& reward,
                      std::size_t width);

// The same as an SVG of its own: a dot a pair in the order they were measured, coloured by which
// side ran first, with the interval as a band and the line of no difference. `title` is text, not
// markup.
std::string pair_plot_svg(const std::vector<PairedSample>& pairs, const Interval& reward,
                          const std::string& title);

}  // namespace hone
