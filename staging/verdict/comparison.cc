#include "staging/verdict/comparison.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "common/base/random.h"
#include "common/stats/layout_effect.h"
#include "common/stats/order_effect.h"
#include "staging/verdict/diagnostics.h"
#include "staging/verdict/metric_value.h"

namespace hone {
namespace {

std::string side(SampleRole role) {
  return role == SampleRole::baseline ? "the baseline" : "the candidate";
}

// How a comparison ended before its verdict.
struct Ending {
  Outcome outcome;
  std::string reason;
};
using MaybeEnding = std::optional<Ending>;

class Comparer {
 public:
  Comparer(Bench& bench, const ComparisonPlan& plan, const std::stop_token& stop)
      : bench_(bench),
        plan_(plan),
        metric_(plan.benchmark.metric),
        stop_(stop),
        random_(plan.seed),
        decks_{LayoutDeck(bench.layouts()), LayoutDeck(bench.layouts())} {
    inputs_ = plan.benchmark.inputs;
    if (inputs_.empty()) {
      inputs_.emplace_back();
    }
    references_.resize(inputs_.size());
    runs_.resize(inputs_.size(), 1);
  }

  Comparison run() {
    MaybeEnding ending = check_outputs();
    if (!ending) {
      ending = measure();
    }
    if (ending) {
      result_.outcome = ending->outcome;
      result_.reason = std::move(ending->reason);
    }
    return std::move(result_);
  }

 private:
  std::string where(std::size_t input) const {
    return inputs_[input].name.empty() ? "" : " on input '" + inputs_[input].name + "'";
  }

  MaybeEnding check_outputs() {
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      BenchmarkRun run;
      if (MaybeEnding ending = checked_run({SampleRole::baseline, input}, run)) {
        return ending;
      }
      if (plan_.benchmark.compare_output && references_[input].empty()) {
        references_[input] = run.output_sha256;
      }
      if (MaybeEnding ending = checked_run({SampleRole::baseline, input}, run)) {
        return ending;
      }
      runs_[input] = runs_per_sample(
          metric_.metric, metric_.metric == Metric::wall_time ? run.wall_seconds : run.cpu_seconds);
      if (MaybeEnding ending = checked_run({SampleRole::candidate, input}, run)) {
        return ending;
      }
    }
    return std::nullopt;
  }

  // One run that must be of class ok and give the reference output.
  MaybeEnding checked_run(const BenchRun& wanted, BenchmarkRun& run) {
    if (stop_.stop_requested()) {
      return Ending{Outcome::cancelled, "stopped on request"};
    }
    const SampleRole role = wanted.role;
    const std::size_t input = wanted.input;
    run = bench_.run(wanted, stop_);
    if (run.run_class != RunClass::ok) {
      return failed_run(role, input, run);
    }
    const std::string& expected = inputs_[input].expected_output_sha256;
    if (!expected.empty() && run.output_sha256 != expected) {
      const std::string what = side(role) + "'s output" + where(input) + " has SHA-256 " +
                               run.output_sha256 + ", expected is " + expected;
      return Ending{role == SampleRole::baseline ? Outcome::baseline_failed : Outcome::miscompiled,
                    what};
    }
    if (!references_[input].empty() && run.output_sha256 != references_[input]) {
      return role == SampleRole::baseline
                 ? Ending{Outcome::nondeterministic, "two runs of the baseline" + where(input) +
                                                         " gave different outputs (SHA-256 " +
                                                         references_[input] + " and " +
                                                         run.output_sha256 + ")"}
                 : Ending{Outcome::miscompiled, "the candidate's output" + where(input) +
                                                    " has SHA-256 " + run.output_sha256 +
                                                    ", the baseline's " + references_[input]};
    }
    return std::nullopt;
  }

  Ending failed_run(SampleRole role, std::size_t input, const BenchmarkRun& run) const {
    const std::string what = side(role) + where(input) + ": " + run.reason;
    if (run.run_class == RunClass::stopped) {
      return {Outcome::cancelled, "stopped on request"};
    }
    if (role == SampleRole::baseline || run.run_class == RunClass::not_started) {
      return {Outcome::benchmark_failed, what};
    }
    switch (run.run_class) {
      case RunClass::timed_out:
        return {Outcome::timed_out, what};
      case RunClass::limit_exceeded:
        return {Outcome::limit_exceeded, what};
      default:
        return {Outcome::miscompiled, what + " (the baseline does not fail)"};
    }
  }

  // The value of one sample: the mean over the input's runs_ runs.
  MaybeEnding sample(const BenchRun& wanted, double& value) {
    double sum = 0;
    for (int i = 0; i < runs_[wanted.input]; ++i) {
      BenchmarkRun run;
      if (MaybeEnding ending = checked_run(wanted, run)) {
        return ending;
      }
      const Result<double> one = metric_value(run, metric_.metric);
      if (!one) {
        return Ending{
            wanted.role == SampleRole::baseline ? Outcome::benchmark_failed : Outcome::miscompiled,
            side(wanted.role) + where(wanted.input) + ": " + one.error().message};
      }
      sum += *one;
    }
    value = sum / runs_[wanted.input];
    return std::nullopt;
  }

  MaybeEnding measure() {
    SequentialSettings settings;
    settings.noise_floor = plan_.noise_floor;
    settings.max_pairs =
        std::min(plan_.most_pairs.value_or(plan_.stage == Stage::race ? kRacePairs : kConfirmPairs),
                 kMaxSamples / (2 * inputs_.size()));
    Result<SequentialTest> test = SequentialTest::create(settings);
    if (!test) {
      return Ending{Outcome::benchmark_failed, test.error().message};
    }
    const std::vector<RunOrder> orders =
        balanced_orders((settings.max_pairs + kPairsPerBlock - 1) / kPairsPerBlock, random_);
    for (std::size_t pair = 0; pair < settings.max_pairs && !test->decision(); ++pair) {
      double log_ratio = 0;
      if (MaybeEnding ending = run_pair(pair, orders[pair], log_ratio)) {
        return ending;
      }
      if (const Result<void> added = test->add({log_ratio, orders[pair]}); !added) {
        return Ending{Outcome::benchmark_failed, added.error().message};
      }
      if (plan_.on_pair) {
        plan_.on_pair(test->decision() ? *test->decision() : test->snapshot());
      }
    }
    conclude(test->decision() ? *test->decision() : test->snapshot(),
             {test->samples().begin(), test->samples().end()});
    return std::nullopt;
  }

  MaybeEnding run_pair(std::size_t pair, RunOrder order, double& log_ratio) {
    BenchRun wanted;
    wanted.padding = static_cast<std::size_t>(random_.below(kMaxPadding));
    const std::size_t layouts[2] = {decks_[0].draw(random_), decks_[1].draw(random_)};
    layouts_.push_back({0, layouts[0], layouts[1]});
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      double values[2] = {0, 0};  // by role
      for (std::int64_t position = 0; position < 2; ++position) {
        const bool baseline = (order == RunOrder::baseline_first) == (position == 0);
        wanted.role = baseline ? SampleRole::baseline : SampleRole::candidate;
        wanted.input = input;
        wanted.layout = layouts[baseline ? 0 : 1];
        double& value = values[baseline ? 0 : 1];
        if (MaybeEnding ending = sample(wanted, value)) {
          return ending;
        }
        Sample row;
        row.pair = static_cast<std::int64_t>(pair);
        row.position = position;
        row.block = static_cast<std::int64_t>(pair / kPairsPerBlock);
        row.input = inputs_[input].name;
        row.metric = metric_.metric;
        row.layout = static_cast<std::int64_t>(wanted.layout);
        row.role = wanted.role;
        row.value = value;
        result_.samples.push_back(std::move(row));
      }
      const Result<PairedSample> one = paired_metric(metric_, values[0], values[1], order);
      if (!one) {
        return Ending{Outcome::benchmark_failed, one.error().message};
      }
      log_ratio += one->log_ratio / static_cast<double>(inputs_.size());
    }
    return std::nullopt;
  }

  void conclude(const SequentialDecision& decision, const std::vector<PairedSample>& pairs) {
    result_.verdict = parse_verdict(to_string(decision.verdict));
    judge_layout(decision, pairs);
    RewardEstimate reward;
    reward.value = decision.reward.estimate;
    reward.low = decision.reward.low;
    reward.high = decision.reward.high;
    reward.pairs = static_cast<std::int64_t>(decision.pairs);
    reward.detectable_effect = decision.detectable;
    reward.noise = decision.sigma;
    result_.reward = reward;
    for (std::string& doubt : doubts(result_.samples, pairs)) {
      result_.warnings.push_back(std::move(doubt));
    }
  }

  // A verdict that links of equal binaries may give as well is none.
  void judge_layout(const SequentialDecision& decision, const std::vector<PairedSample>& pairs) {
    const std::vector<double> adjusted = order_adjusted(pairs);
    for (std::size_t pair = 0; pair < adjusted.size(); ++pair) {
      layouts_[pair].log_ratio = adjusted[pair];
    }
    result_.layout_sigma = layout_sigma(std::span(layouts_).first(adjusted.size()));
    const double possible = layout_difference(result_.layout_sigma, bench_.layouts());
    if ((result_.verdict == Verdict::faster || result_.verdict == Verdict::slower) &&
        std::fabs(decision.reward.estimate) < possible) {
      result_.verdict = Verdict::within_noise;
      result_.warnings.emplace_back(
          "the difference is one that links of the same objects show as well");
    }
  }

  Bench& bench_;
  const ComparisonPlan& plan_;
  const MetricSpec& metric_;
  const std::stop_token& stop_;
  Random random_;
  LayoutDeck decks_[2];                // of baseline and candidate
  std::vector<LayoutSample> layouts_;  // of each pair
  std::vector<InputSpec> inputs_;
  std::vector<std::string> references_;  // of each input's output; empty: not compared
  std::vector<int> runs_;                // that make one sample, of each input
  Comparison result_;
};

}  // namespace

Comparison compare(Bench& bench, const ComparisonPlan& plan, const std::stop_token& stop) {
  return Comparer(bench, plan, stop).run();
}

}  // namespace hone
