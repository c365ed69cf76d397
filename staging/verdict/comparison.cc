#include "staging/verdict/comparison.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "common/base/random.h"
#include "common/stats/layout_effect.h"
#include "common/stats/order_effect.h"
#include "staging/verdict/checked_runs.h"
#include "staging/verdict/diagnostics.h"
#include "staging/verdict/metric_value.h"

namespace hone {
namespace {

class Comparer {
 public:
  Comparer(Bench& bench, const ComparisonPlan& plan, const std::stop_token& stop)
      : bench_(bench),
        plan_(plan),
        metric_(plan.benchmark.metric),
        runs_(bench, plan.benchmark, stop),
        random_(plan.seed),
        decks_{LayoutDeck(bench.layouts()), LayoutDeck(bench.layouts())} {}

  Comparison run() {
    MaybeEnding ending = runs_.check_baseline();
    if (!ending) {
      ending = runs_.check_candidate(plan_.candidate);
    }
    if (!ending) {
      ending = is_repeatable(metric_.metric) ? measure_repeatable() : measure();
    }
    if (ending) {
      result_.outcome = ending->outcome;
      result_.reason = std::move(ending->reason);
    }
    return std::move(result_);
  }

 private:
  // A number that every run gives alike needs no test: one pair of a size, otherwise two that
  // agree, and their ratio is the answer. Where they do not, it is a number like any other.
  MaybeEnding measure_repeatable() {
    const std::size_t pairs = is_file_size(metric_.metric) ? 1 : 2;
    double log_ratio = 0;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      log_ratio = 0;
      if (MaybeEnding ending = run_pair(pair, RunOrder::baseline_first, log_ratio)) {
        return ending;
      }
    }
    const auto values = std::span(std::as_const(result_.samples));
    const std::size_t one = values.size() / pairs;
    if (!std::ranges::equal(values.first(one), values.last(one), {}, &Sample::value,
                            &Sample::value)) {
      result_.samples.clear();
      layouts_.clear();
      result_.warnings.push_back("two runs of the same gave different " +
                                 std::string(to_string(metric_.metric)) +
                                 ": measured as a number that varies");
      return measure();
    }
    RewardEstimate reward;
    reward.value = reward.low = reward.high = log_ratio;
    reward.pairs = static_cast<std::int64_t>(pairs);
    result_.reward = reward;
    result_.verdict = log_ratio > 0   ? Verdict::faster
                      : log_ratio < 0 ? Verdict::slower
                                      : Verdict::no_change;
    return std::nullopt;
  }

  MaybeEnding measure() {
    SequentialSettings settings;
    settings.noise_floor = plan_.noise_floor;
    settings.max_pairs =
        std::min(plan_.most_pairs.value_or(plan_.stage == Stage::race ? kRacePairs : kConfirmPairs),
                 kMaxSamples / (2 * runs_.timed().size()));
    Result<SequentialTest> test = SequentialTest::create(settings);
    if (!test) {
      return Ending{Outcome::benchmark_failed, test.error().message};
    }
    const std::vector<RunOrder> orders =
        balanced_orders((settings.max_pairs + kPairsPerBlock - 1) / kPairsPerBlock, random_);
    for (std::size_t pair = 0; pair < settings.max_pairs && !test->decision(); ++pair) {
      double log_ratio = 0;
      if (MaybeEnding ending = run_pair(pair, orders[pair], log_ratio)) {
        if (ending->outcome == Outcome::cancelled && pair >= kFewestShown) {
          take_reward(test->snapshot());
        }
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
    wanted.candidate = plan_.candidate;
    // Where the stack lies decides which way some loops of libc go: what is to repeat stays put.
    wanted.padding =
        is_repeatable(metric_.metric) ? 0 : static_cast<std::size_t>(random_.below(kMaxPadding));
    const std::size_t layouts[2] = {decks_[0].draw(random_), decks_[1].draw(random_)};
    layouts_.push_back({0, layouts[0], layouts[1]});
    for (std::size_t input = 0; input < runs_.timed().size(); ++input) {
      double values[2] = {0, 0};  // by role
      for (std::int64_t position = 0; position < 2; ++position) {
        const bool baseline = (order == RunOrder::baseline_first) == (position == 0);
        wanted.role = baseline ? SampleRole::baseline : SampleRole::candidate;
        wanted.input = input;
        wanted.layout = layouts[baseline ? 0 : 1];
        double& value = values[baseline ? 0 : 1];
        if (MaybeEnding ending = runs_.sample(wanted, value)) {
          return ending;
        }
        Sample row;
        row.pair = static_cast<std::int64_t>(pair);
        row.position = position;
        row.block = static_cast<std::int64_t>(pair / kPairsPerBlock);
        row.input = runs_.timed()[input];
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
      log_ratio += one->log_ratio / static_cast<double>(runs_.timed().size());
    }
    return std::nullopt;
  }

  void conclude(const SequentialDecision& decision, const std::vector<PairedSample>& pairs) {
    result_.verdict = parse_verdict(to_string(decision.verdict));
    judge_layout(decision, pairs);
    take_reward(decision);
    for (std::string& doubt : doubts(result_.samples, pairs)) {
      result_.warnings.push_back(std::move(doubt));
    }
  }

  void take_reward(const SequentialDecision& decision) {
    RewardEstimate reward;
    reward.value = decision.reward.estimate;
    reward.low = decision.reward.low;
    reward.high = decision.reward.high;
    reward.pairs = static_cast<std::int64_t>(decision.pairs);
    reward.detectable_effect = decision.detectable;
    reward.noise = decision.sigma;
    result_.reward = reward;
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
  CheckedRuns runs_;
  Random random_;
  LayoutDeck decks_[2];                // of baseline and candidate
  std::vector<LayoutSample> layouts_;  // of each pair
  Comparison result_;
};

}  // namespace

Comparison compare(Bench& bench, const ComparisonPlan& plan, const std::stop_token& stop) {
  return Comparer(bench, plan, stop).run();
}

}  // namespace hone
