#include "build_integration/cli/bench_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/pair_plot.h"
#include "build_integration/cli/race_report.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/verdict_words.h"
#include "common/base/printable.h"
#include "common/stats/median.h"

namespace hone {
namespace {

Interval interval_of(const RewardEstimate& reward) {
  return {reward.low, reward.value, reward.high};
}

double median_of(const BenchReport& report, SampleRole role) {
  std::vector<double> values;
  for (const Sample& sample : report.comparison.samples) {
    if (sample.role == role) {
      values.push_back(sample.value);
    }
  }
  return median(std::move(values));
}

// " by 9.1 %": by how much of the baseline's the candidate's number is smaller or larger; that it
// is
// "+10.0 %" better, as a reward has it, would be misread of a size. Nothing for no change.
std::string by_text(double reward) {
  return reward == 0 ? "" : fmt::format(" by {:.2g} %", std::fabs(percent_of(-reward)));
}

// How sure that is.
std::string precision_text(const BenchReport& report) {
  const RewardEstimate& reward = *report.comparison.reward;
  const std::string text = fmt::format(
      "A pair varies by {:.2f} % (robust standard deviation); {} pairs find {} in nine cases of "
      "ten.\n",
      100 * reward.noise, reward.pairs, percent_text(reward.detectable_effect));
  if (report.links > 1) {
    return text + fmt::format("{} links a side; links of equal code differ by {:.2f} %.\n",
                              report.links, 100 * report.comparison.layout_sigma);
  }
  return text +
         "One link a side: where the code lies may make a percent or two of the difference.\n";
}

}  // namespace

std::string bench_text(const BenchReport& report, std::size_t width) {
  const Comparison& comparison = report.comparison;
  std::string text = report.race ? race_text(*report.race, report.candidates) + "\n" : "";
  if (comparison.outcome == Outcome::cancelled && comparison.reward) {
    return text + fmt::format("cancelled after {} pairs; so far {}, which is no verdict\n",
                              comparison.reward->pairs, reward_text(*comparison.reward));
  }
  if (comparison.outcome != Outcome::ok || !comparison.reward || !comparison.verdict) {
    return text +
           fmt::format("{}: {}\n", to_string(comparison.outcome), printable(comparison.reason));
  }
  const RewardEstimate& reward = *comparison.reward;
  const Metric metric = report.metric.metric;
  const bool exact = is_repeatable(metric) && is_exact(reward);
  if (report.race) {
    text += exact ? "The winner: " : "The winner on fresh pairs: ";
  }
  std::string verdict = verdict_word(*comparison.verdict, metric);
  std::ranges::replace(verdict, '_', ' ');
  if (exact) {
    text += fmt::format("{}{} ({}, the same in every run)\n\n", verdict, by_text(reward.value),
                        to_string(metric));
  } else {
    text += fmt::format("{}: {} ({}, 95 % interval, {} pairs)\n\n{}\n", verdict,
                        reward_text(reward), to_string(metric), reward.pairs,
                        pair_plot(report.pairs, interval_of(reward), width));
  }
  text += fmt::format("baseline   {:>12}  {}\n",
                      value_text(metric, median_of(report, SampleRole::baseline)),
                      printable(report.baseline));
  text += fmt::format("candidate  {:>12}  {}\n",
                      value_text(metric, median_of(report, SampleRole::candidate)),
                      printable(report.candidates[report.candidate]));
  if (!exact) {
    text += "\n" + precision_text(report);
  }
  for (const std::string& warning : comparison.warnings) {
    text += "warning: " + printable(warning) + "\n";
  }
  return text;
}

Json bench_json(const BenchReport& report) {
  const Comparison& comparison = report.comparison;
  Json document = Json::object();
  document["format"] = "hone-bench/1";
  document["baseline"] = report.baseline;
  document["candidate"] = report.candidates[report.candidate];
  if (report.race) {
    document["race"] = race_json(*report.race, report.candidates);
  }
  document["links"] = report.links;
  document["seed"] = report.seed;
  document["metric"] = std::string(to_string(report.metric.metric));
  document["outcome"] = std::string(to_string(comparison.outcome));
  document["reason"] = comparison.reason;
  document["verdict"] =
      comparison.verdict ? Json(std::string(to_string(*comparison.verdict))) : Json(nullptr);
  document["reward"] = comparison.reward ? to_json(*comparison.reward) : Json(nullptr);
  document["layout_sigma"] = comparison.layout_sigma;
  document["warnings"] = comparison.warnings;
  document["samples"] = Json::array();
  for (const Sample& sample : comparison.samples) {
    document["samples"].push_back(to_json(sample));
  }
  return document;
}

std::string bench_csv(const BenchReport& report) {
  std::string text = "pair,position,block,layout,role,value\n";
  for (const Sample& sample : report.comparison.samples) {
    text += fmt::format("{},{},{},{},{},{}\n", sample.pair, sample.position, sample.block,
                        sample.layout, to_string(sample.role), sample.value);
  }
  return text;
}

}  // namespace hone
