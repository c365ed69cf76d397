#include "build_integration/cli/validation_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

constexpr std::string_view kDefaultScheme = "benchmark://";
constexpr std::size_t kRuleWidth = 60;

double mean(const std::vector<double>& values) {
  return values.empty() ? 0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

// Of the whole, as numpy's and CompilerGym's.
double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) {
    sum += (value - centre) * (value - centre);
  }
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace

std::string validation_line(const ValidationResult& result) {
  std::string_view name = result.state.benchmark;
  if (name.starts_with(kDefaultScheme)) {
    name.remove_prefix(kDefaultScheme.size());
  }
  if (!result.ok()) {
    std::string details = error_details(result);
    details = details.substr(0, details.find('\n'));
    return fmt::format("❌  {}  {}", name, details);
  }
  std::string line = fmt::format("✅  {}", name);
  if (result.state.reward) {
    line += fmt::format("  {:.4f}", *result.state.reward);
  }
  // Errors that are the program's own.
  return result.errors.empty() ? line : line + "  (" + error_details(result) + ")";
}

void ValidationSummary::add(const ValidationResult& result) {
  ++states_;
  run_ += result.benchmark_semantics_validated ? 1 : 0;
  if (!result.ok()) {
    ++failed_;
  } else if (const std::optional<double> reward = result.state.reward;
             reward && result.reward_validated) {
    rewards_.push_back(*reward);
    walltimes_.push_back(result.state.walltime);
  }
}

double ValidationSummary::mean_reward() const {
  if (!geometric_ || rewards_.empty()) {
    return mean(rewards_);
  }
  double logs = 0;
  for (const double reward : rewards_) {
    if (reward <= 0) {
      return 0;
    }
    logs += std::log(reward);
  }
  return std::exp(logs / static_cast<double>(rewards_.size()));
}

std::string ValidationSummary::text() const {
  std::string text = std::string(kRuleWidth, '-') + "\n";
  text += fmt::format("Number of validated results: {} of {}\n", rewards_.size(),
                      states_ + unreadable_);
  text += fmt::format("Mean walltime per benchmark: {:.3f}s (std: {:.3f}s)\n", mean(walltimes_),
                      deviation(walltimes_));
  text += fmt::format("{} {}: {:.3f} (std: {:.3f})\n", geometric_ ? "Geometric mean" : "Mean",
                      reward_, mean_reward(), deviation(rewards_));
  if (run_ > 0) {
    text += fmt::format("Programs that were run: {}\n", run_);
  }
  if (failed_ + unreadable_ > 0) {
    text += fmt::format("Failed: {}, rows that cannot be read: {}\n", failed_, unreadable_);
  }
  return text;
}

Json ValidationSummary::json() const {
  return {{"states", states_ + unreadable_},
          {"validated", rewards_.size()},
          {"failed", failed_},
          {"unreadable", unreadable_},
          {"run", run_},
          {"reward", reward_},
          {"aggregation", geometric_ ? "geomean" : "mean"},
          {"mean_reward", mean_reward()},
          {"reward_deviation", deviation(rewards_)},
          {"mean_walltime", mean(walltimes_)},
          {"walltime_deviation", deviation(walltimes_)}};
}

}  // namespace hone
