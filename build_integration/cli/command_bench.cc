// hone bench --baseline 'A args' --candidate 'B args' [--candidate 'C args' ...]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/bench_options.h"
#include "build_integration/cli/bench_report.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/pair_plot.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/sample_pairs.h"
#include "build_integration/cli/terminal.h"
#include "build_integration/cli/verdict_words.h"
#include "common/base/file.h"

namespace hone {
namespace {

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
      comparison.verdict
          ? verdict_word(*comparison.verdict, report.metric.metric) + ": " + reward_text(reward)
          : std::string(to_string(comparison.outcome));
  return write_file_atomically(
      name, pair_plot_svg(report.pairs, {reward.low, reward.value, reward.high}, title), 0644);
}

// The estimate so far, on a line that is rewritten.
void show(const SequentialDecision& so_far) {
  const RewardEstimate reward{so_far.reward.estimate, so_far.reward.low, so_far.reward.high};
  fmt::print(stderr, "\rpairs: {}  {}\x1b[K", so_far.pairs,
             so_far.pairs < kFewestShown ? "" : reward_text(reward));
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
  HONE_CHECK(check_bench(options));
  options.bench.time_limit = std::chrono::seconds(options.time_limit);
  HONE_TRY(LocalBench sides, LocalBench::create(options.bench));
  ComparisonPlan plan;
  plan.benchmark = benchmark_of(options);
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
    if (report.race) {
      plan.benchmark.checks.clear();  // the race made them
    }
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
  add_bench_options(*command, *options);
  command->callback([&context, options] {
    context.action = [&context, options] { return bench(context, *options); };
  });
}

}  // namespace hone
