#include "build_integration/cli/pair_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "build_integration/cli/reward_text.h"
#include "common/stats/order_effect.h"

namespace hone {
namespace {

constexpr std::size_t kMostRows = 8;

// A range that holds all values, the interval and zero, a little wider than they are.
struct Range {
  double low = 0;
  double high = 0;
  double share(double value) const { return (value - low) / (high - low); }
};

Range range_of(const std::vector<double>& values, const Interval& reward) {
  Range range{std::min(reward.low, 0.0), std::max(reward.high, 0.0)};
  for (const double value : values) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  const double margin = std::max(0.02 * (range.high - range.low), 1e-6);
  return {range.low - margin, range.high + margin};
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

// The smallest of 0.01, 0.02, 0.05, 0.1 ... percent that gives at most eight steps.
double step_of(const Range& range) {
  double step = 0.0001;
  for (int i = 0; (range.high - range.low) / step > 8; ++i) {
    step *= i % 3 == 1 ? 2.5 : 2;
  }
  return step;
}

}  // namespace

std::string pair_plot(const std::vector<PairedSample>& pairs, const Interval& reward,
                      std::size_t width) {
  if (pairs.empty()) {
    return "";
  }
  width = std::clamp<std::size_t>(width, 40, 200);
  const std::vector<double> values = order_adjusted(pairs);
  const Range range = range_of(values, reward);
  const auto column = [&](double value) {
    return std::min(width - 1,
                    static_cast<std::size_t>(range.share(value) * static_cast<double>(width)));
  };
  std::vector<std::size_t> heights(width, 0);
  for (const double value : values) {
    ++heights[column(value)];
  }
  // More pairs in one place than rows: a dot then stands for several.
  const std::size_t highest = *std::ranges::max_element(heights);
  const std::size_t each = (highest + kMostRows - 1) / kMostRows;
  std::string text;
  for (std::size_t row = (highest + each - 1) / each; row > 0; --row) {
    std::string line;
    for (std::size_t i = 0; i < width; ++i) {
      const bool dot = (heights[i] + each - 1) / each >= row;
      line += dot ? "●" : i == column(0) ? "┊" : " ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  const std::size_t low = column(reward.low);
  const std::size_t high = column(reward.high);
  const std::size_t middle = column(reward.estimate);
  for (std::size_t i = 0; i <= std::max(high, column(0)); ++i) {
    text += i == middle           ? "◆"
            : i == low            ? "├"
            : i == high           ? "┤"
            : i > low && i < high ? "─"
            : i == column(0)      ? "┊"
                                  : " ";
  }
  const std::string left = percent_text(range.low);
  const std::string right =
      percent_text(range.high) + (each > 1 ? fmt::format("  (a dot: up to {} pairs)", each) : "");
  text += fmt::format("\n{:<{}}{}\n", left, width > 24 ? width - 10 : 14, right);
  return text;
}

std::string pair_plot_svg(const std::vector<PairedSample>& pairs, const Interval& reward,
                          const std::string& title) {
  constexpr double kWidth = 760;
  constexpr double kHeight = 320;
  constexpr double kLeft = 64;
  constexpr double kTop = 40;
  constexpr double kBottom = kHeight - 36;
  const std::vector<double> values = order_adjusted(pairs);
  const Range range = range_of(values, reward);
  const auto y = [&](double value) { return kBottom - range.share(value) * (kBottom - kTop); };
  const auto x = [&](std::size_t pair) {
    return kLeft + (static_cast<double>(pair) + 0.5) * (kWidth - kLeft - 12) /
                       static_cast<double>(std::max<std::size_t>(pairs.size(), 1));
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"{2}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n<text x=\"{3}\" y=\"22\" "
      "font-size=\"14\">{2}</text>\n",
      kWidth, kHeight, escaped(title), kLeft);
  const double step = step_of(range);
  for (double tick = std::ceil(range.low / step) * step; tick <= range.high; tick += step) {
    svg += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        kLeft, kWidth - 12, y(tick), y(tick), kLeft - 6, y(tick) + 4, percent_text(tick));
  }
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#2a6fbb\" "
      "fill-opacity=\"0.18\"/>\n<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" "
      "stroke=\"#2a6fbb\" stroke-width=\"2\"/>\n",
      kLeft, y(reward.high), kWidth - 12 - kLeft, y(reward.low) - y(reward.high), kLeft,
      kWidth - 12, y(reward.estimate), y(reward.estimate));
  svg += fmt::format(
      "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"black\"/>\n", kLeft,
      kWidth - 12, y(0), y(0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool baseline_first = pairs[i].order == RunOrder::baseline_first;
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(i),
                       y(values[i]), baseline_first ? "#c2571a" : "#1a7f5a");
  }
  svg += fmt::format(
      "<text x=\"{0}\" y=\"{1}\">pairs in the order they were measured; the baseline ran first: "
      "<tspan fill=\"#c2571a\">orange</tspan>, second: <tspan "
      "fill=\"#1a7f5a\">green</tspan></text>\n"
      "</svg>\n",
      kLeft, kHeight - 12);
  return svg;
}

}  // namespace hone
