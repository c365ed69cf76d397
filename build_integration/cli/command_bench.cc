// hone bench --baseline 'A args' --candidate 'B args' [--candidate 'C args' ...]
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/bench_report.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/local_bench.h"
#include "build_integration/cli/pair_plot.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/sample_pairs.h"
#include "build_integration/cli/terminal.h"
#include "common/base/file.h"

namespace hone {
namespace {

struct BenchOptions {
  LocalBenchSettings bench;
  std::string metric = "cpu_time";
  std::vector<std::string> exports;
  std::size_t most_pairs = kConfirmPairs;
  double noise_floor_percent = 1;
  std::int64_t time_limit = 60;
  std::uint64_t seed = 0;
  bool any_output = false;
};

bool ends_with_one_of(std::string_view text) {
  return text.ends_with(".json") || text.ends_with(".csv") || text.ends_with(".svg");
}

// Before anything is measured: a file name that nothing can be written to costs minutes otherwise.
Result<void> check(BenchOptions& options) {
  const std::optional<Metric> metric = parse_metric(options.metric);
  if (!metric) {
    return fail(ErrorCode::invalid_argument,
                "--metric " + options.metric + ": one of " + std::string(kMetricChoices));
  }
  options.bench.metric.metric = *metric;
  if ((*metric == Metric::printed) != !options.bench.metric.pattern.empty()) {
    return fail(ErrorCode::invalid_argument,
                "--metric printed and --pattern (an ECMAScript regular expression whose group 1 is "
                "the number) belong together");
  }
  if (options.bench.metric.higher_is_better && *metric != Metric::printed) {
    return fail(ErrorCode::invalid_argument, "--higher-is-better is for --metric printed");
  }
  for (const std::string& name : options.exports) {
    if (name != "json" && !ends_with_one_of(name)) {
      return fail(ErrorCode::invalid_argument,
                  "--export " + name +
                      ": json (to standard output), or a file that ends in .json, .csv or .svg");
    }
    const std::string folder = std::filesystem::path(name).parent_path().string();
    if (name != "json" && ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
      return fail(ErrorCode::invalid_argument,
                  "--export " + name + ": its folder is not there or cannot be written to");
    }
  }
  for (const std::string& variable : options.bench.environment) {
    const std::size_t equals = variable.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return fail(ErrorCode::invalid_argument, "--env " + variable + ": NAME=VALUE");
    }
  }
  return {};
}

Result<void> export_to(const std::string& name, const BenchReport& report) {
  if (name.ends_with(".csv")) {
    return write_file_atomically(name, bench_csv(report), 0644);
  }
  if (name.ends_with(".json")) {
    return write_file_atomically(name, bench_json(report).dump(2) + "\n", 0644);
  }
  const Comparison& comparison = report.comparison;
  const RewardEstimate reward = comparison.reward.value_or(RewardEstimate{});
  const std::string title =
      comparison.reward ? std::string(to_string(*comparison.verdict)) + ": " + reward_text(reward)
                        : std::string(to_string(comparison.outcome));
  return write_file_atomically(
      name, pair_plot_svg(report.pairs, {reward.low, reward.value, reward.high}, title), 0644);
}

// The estimate so far, on a line that is rewritten.
void show(const SequentialDecision& so_far) {
  const RewardEstimate reward{so_far.reward.estimate, so_far.reward.low, so_far.reward.high};
  fmt::print(stderr, "\r{} pairs  {}\x1b[K", so_far.pairs, reward_text(reward));
  std::fflush(stderr);
}

void show_race(const RaceProgress& so_far) {
  fmt::print(stderr, "\rrace: {} candidates, {} blocks\x1b[K", so_far.candidates, so_far.blocks);
  std::fflush(stderr);
}

// The best of several candidates; why there is none is the comparison's outcome.
void race_to_the_best(LocalBench& sides, const BenchmarkSpec& benchmark, bool live,
                      const std::stop_token& stop, BenchReport& report) {
  RacePlan plan{benchmark, report.seed, {}};
  if (live) {
    plan.on_block = show_race;
  }
  report.race = race(sides, plan, stop);
  const RaceEntry& best = report.race->entries.front();
  report.candidate = best.candidate;
  const bool failed = report.race->outcome != Outcome::ok;
  report.comparison.outcome = failed ? report.race->outcome : best.outcome;
  report.comparison.reason = failed ? report.race->reason : best.reason;
}

Result<int> bench(const CommandContext& context, BenchOptions& options) {
  HONE_CHECK(check(options));
  options.bench.time_limit = std::chrono::seconds(options.time_limit);
  HONE_TRY(LocalBench sides, LocalBench::create(options.bench));
  ComparisonPlan plan;
  plan.benchmark.metric = options.bench.metric;
  plan.benchmark.compare_output = !options.any_output;
  plan.stage = Stage::confirm;
  plan.noise_floor = std::log1p(options.noise_floor_percent / 100);
  plan.most_pairs = options.most_pairs;
  const bool live = is_terminal(STDERR_FILENO) && !context.json;
  if (live) {
    plan.on_pair = show;
  }
  BenchReport report;
  report.baseline = options.bench.baseline;
  report.candidates = options.bench.candidates;
  report.links = options.bench.links;
  report.seed = options.seed;
  report.metric = options.bench.metric;
  if (sides.candidates() > 1) {
    race_to_the_best(sides, plan.benchmark, live, context.stop, report);
  }
  if (report.comparison.outcome == Outcome::ok) {
    plan.candidate = report.candidate;
    // Another order than the race's, which the winner owes its place to.
    plan.seed = report.race ? ~options.seed : options.seed;
    report.comparison = compare(sides, plan, context.stop);
  }
  HONE_TRY(report.pairs, pairs_of(report.comparison.samples, report.metric));
  if (live) {
    fmt::print(stderr, "\r\x1b[K");
  }
  const Comparison& comparison = report.comparison;
  if (context.json || std::ranges::find(options.exports, "json") != options.exports.end()) {
    print_json(bench_json(report));
  } else {
    print(bench_text(report, terminal_width(STDOUT_FILENO)));
  }
  // After it was shown: a file that cannot be written must not cost what was measured.
  for (const std::string& name : options.exports) {
    if (name != "json") {
      HONE_CHECK(export_to(name, report));
    }
  }
  if (comparison.outcome != Outcome::ok) {
    return comparison.outcome == Outcome::cancelled ? kExitCancelled : kExitFailed;
  }
  return comparison.verdict == Verdict::faster ? kExitOk : kExitNoGain;
}

}  // namespace

void add_bench(CLI::App& app, CommandContext& context) {
  CLI::App* const command = app.add_subcommand(
      "bench", "Compare two programs here, by the procedure that staging workers use");
  const auto options = std::make_shared<BenchOptions>();
  options->seed = std::random_device{}();
  command
      ->add_option("--baseline", options->bench.baseline,
                   "Its command line; no shell reads it, it runs in this folder")
      ->required();
  command
      ->add_option("--candidate", options->bench.candidates,
                   "Likewise; repeatable: a race finds the best one, which is then compared")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--metric", options->metric, "cpu_time, wall_time, peak_rss_bytes or printed")
      ->capture_default_str();
  command->add_option("--pattern", options->bench.metric.pattern,
                      "With --metric printed: regular expression whose group 1 is the number");
  command->add_flag("--higher-is-better", options->bench.metric.higher_is_better,
                    "With --metric printed: throughput, not time");
  command
      ->add_option("--links", options->bench.links,
                   "Each command holds {link}: a number from 0 to this less one, drawn for each "
                   "run, names one of several links of the same objects")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--pairs", options->most_pairs, "Pairs of runs at most")
      ->check(CLI::Range(12, 192))
      ->capture_default_str();
  command
      ->add_option("--noise-floor", options->noise_floor_percent,
                   "Percent of difference that is worth acting on")
      ->check(CLI::Range(0.1, 50.0))
      ->capture_default_str();
  command->add_option("--time-limit", options->time_limit, "Seconds of one run")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command->add_option(
      "--env", options->bench.environment,
      "NAME=VALUE for the programs, which get nothing of this environment but PATH");
  command->add_flag("--any-output", options->any_output,
                    "Their standard outputs may differ, from run to run as well");
  command->add_option("--seed", options->seed, "Of the order of runs [random]");
  command->add_option(
      "--export", options->exports,
      "json: to standard output; or a file ending in .json, .csv or .svg; repeatable");
  command->callback([&context, options] {
    context.action = [&context, options] { return bench(context, *options); };
  });
}

}  // namespace hone
