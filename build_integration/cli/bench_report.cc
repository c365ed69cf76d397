#include "build_integration/cli/bench_report.h"

#include <fmt/format.h>

#include "build_integration/cli/pair_plot.h"
#include "build_integration/cli/race_report.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/text_table.h"
#include "common/stats/median.h"

namespace hone {
namespace {

// "faster" and "slower" are about time; of other numbers, "better" and "worse".
std::string verdict_words(const BenchReport& report) {
  const Verdict verdict = *report.comparison.verdict;
  const Metric metric = report.metric.metric;
  if (metric == Metric::cpu_time || metric == Metric::wall_time ||
      (verdict != Verdict::faster && verdict != Verdict::slower)) {
    std::string words(to_string(verdict));
    for (char& c : words) {
      c = c == '_' ? ' ' : c;
    }
    return words;
  }
  return verdict == Verdict::faster ? "better" : "worse";
}

Interval interval_of(const RewardEstimate& reward) {
  return {reward.low, reward.value, reward.high};
}

// "12.3 ms", "4.2 MiB", "1234.5".
std::string value_text(Metric metric, double value) {
  if (metric == Metric::peak_rss_bytes) {
    return fmt::format("{:.1f} MiB", value / 1048576.0);
  }
  if (metric == Metric::printed) {
    return fmt::format("{:g}", value);
  }
  return value < 1 ? fmt::format("{:.2f} ms", value * 1e3) : fmt::format("{:.3f} s", value);
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
  if (report.race) {
    text += "The winner on fresh pairs: ";
  }
  text += fmt::format("{}: {} ({}, 95 % interval, {} pairs)\n\n{}\n", verdict_words(report),
                      reward_text(reward), to_string(metric), reward.pairs,
                      pair_plot(report.pairs, interval_of(reward), width));
  text += fmt::format("baseline   {:>12}  {}\n",
                      value_text(metric, median_of(report, SampleRole::baseline)),
                      printable(report.baseline));
  text += fmt::format("candidate  {:>12}  {}\n\n",
                      value_text(metric, median_of(report, SampleRole::candidate)),
                      printable(report.candidates[report.candidate]));
  text += fmt::format(
      "A pair varies by {:.2f} % (robust standard deviation); {} pairs find {} in nine cases of "
      "ten.\n",
      100 * reward.noise, reward.pairs, percent_text(reward.detectable_effect));
  if (report.links > 1) {
    text += fmt::format("{} links a side; links of equal code differ by {:.2f} %.\n", report.links,
                        100 * comparison.layout_sigma);
  } else {
    text += "One link a side: where the code lies may make a percent or two of the difference.\n";
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
