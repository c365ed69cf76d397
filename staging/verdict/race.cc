#include "staging/verdict/race.h"

#include <algorithm>
#include <utility>

#include "common/base/random.h"
#include "common/stats/layout_effect.h"
#include "common/stats/walsh.h"
#include "staging/verdict/checked_runs.h"
#include "staging/verdict/metric_value.h"

namespace hone {
namespace {

// A side of the race: the baseline, or a candidate.
struct Runner {
  BenchRun wanted;
  LayoutDeck deck;
  double rank = 0;                   // its place in the order of this block
  std::vector<double> costs = {};    // log_cost() of each block
  std::vector<double> ranks = {};    // of each block
  std::vector<Sample> samples = {};  // of each block, those of all inputs
  MaybeEnding fault = {};            // of a candidate: why it leaves
};

class Racer {
 public:
  Racer(Bench& bench, const RacePlan& plan, const std::stop_token& stop)
      : plan_(plan),
        stop_(stop),
        runs_(bench, plan.benchmark, stop),
        random_(plan.seed),
        baseline_{.wanted = {}, .deck = LayoutDeck(bench.layouts())} {
    for (std::size_t candidate = 0; candidate < bench.candidates(); ++candidate) {
      BenchRun wanted;
      wanted.role = SampleRole::candidate;
      wanted.candidate = candidate;
      field_.push_back({.wanted = wanted, .deck = LayoutDeck(bench.layouts())});
    }
  }

  Race run() {
    MaybeEnding ending = runs_.check_baseline();
    if (!ending) {
      ending = check_candidates();
    }
    if (!ending) {
      ending = run_rounds();
    }
    if (ending) {
      result_.outcome = ending->outcome;
      result_.reason = std::move(ending->reason);
    }
    leave(std::move(field_), ending ? Told::no : Told::yes);
    // Who left last is best.
    std::ranges::reverse(result_.entries);
    result_.entries.insert(result_.entries.end(), failed_.begin(), failed_.end());
    return std::move(result_);
  }

 private:
  enum class Told { yes, no };

  bool blames_candidate(Outcome outcome) const {
    if (outcome == Outcome::cancelled) {
      return !stop_.stop_requested();  // withdrawn
    }
    // Who cannot be emulated leaves alone; if it is everybody, the baseline does, too.
    if (outcome == Outcome::benchmark_failed) {
      return !emulation_caveat(plan_.benchmark.metric.metric).empty();
    }
    return outcome == Outcome::miscompiled || outcome == Outcome::timed_out ||
           outcome == Outcome::limit_exceeded || outcome == Outcome::build_failed;
  }

  MaybeEnding check_candidates() {
    for (Runner& runner : field_) {
      if (MaybeEnding ending = blame(runner, runs_.check_candidate(runner.wanted.candidate))) {
        return ending;
      }
    }
    drop_faulty();
    return std::nullopt;
  }

  // Keeps what a candidate is at fault for; what is nobody's fault ends the race.
  MaybeEnding blame(Runner& runner, MaybeEnding ending) const {
    if (ending && runner.wanted.role == SampleRole::candidate &&
        blames_candidate(ending->outcome)) {
      runner.fault = std::exchange(ending, std::nullopt);
    }
    return ending;
  }

  void drop_faulty() {
    std::erase_if(field_, [this](Runner& runner) {
      if (runner.fault) {
        RaceEntry entry = entry_of(runner);
        entry.outcome = runner.fault->outcome;
        entry.reason = std::move(runner.fault->reason);
        entry.reward = 0;
        tell(entry);
        failed_.push_back(std::move(entry));
      }
      return runner.fault.has_value();
    });
  }

  MaybeEnding run_rounds() {
    if (is_repeatable(plan_.benchmark.metric.metric)) {
      MaybeEnding ending = run_block();
      if (!ending) {
        keep(1);
      }
      return ending;
    }
    for (const HalvingRound& round : halving_rounds(field_.size(), plan_.halving)) {
      while (baseline_.costs.size() < round.blocks && !field_.empty()) {
        if (MaybeEnding ending = run_block()) {
          return ending;
        }
      }
      keep(round.survivors);
    }
    return std::nullopt;
  }

  MaybeEnding run_block() {
    std::vector<Runner*> order = {&baseline_};
    for (Runner& runner : field_) {
      order.push_back(&runner);
    }
    if (baseline_.costs.size() % 2 == 0) {
      for (Runner* const runner : order) {
        runner->rank = random_.uniform();
      }
    } else {
      for (Runner* const runner : order) {
        runner->rank = -runner->rank;
      }
    }
    std::ranges::sort(order, {}, &Runner::rank);
    const std::size_t padding = is_repeatable(plan_.benchmark.metric.metric)
                                    ? 0
                                    : static_cast<std::size_t>(random_.below(kMaxPadding));
    for (Runner* const runner : order) {
      if (MaybeEnding ending = blame(*runner, measure(*runner, padding))) {
        return ending;
      }
    }
    drop_faulty();
    if (plan_.on_block) {
      plan_.on_block({field_.size(), baseline_.costs.size()});
    }
    return std::nullopt;
  }

  // One sample of each input: the mean of the logarithms.
  MaybeEnding measure(Runner& runner, std::size_t padding) {
    double cost = 0;
    runner.wanted.padding = padding;
    runner.wanted.layout = runner.deck.draw(random_);
    const std::size_t inputs = runs_.timed().size();
    std::vector<Sample> samples;
    for (std::size_t input = 0; input < inputs; ++input) {
      runner.wanted.input = input;
      double value = 0;
      if (MaybeEnding ending = runs_.sample(runner.wanted, value)) {
        return ending;
      }
      ++result_.runs;
      cost += log_cost(plan_.benchmark.metric, value) / static_cast<double>(inputs);
      Sample row;
      row.pair = static_cast<std::int64_t>(runner.costs.size());
      row.block = row.pair / static_cast<std::int64_t>(kPairsPerBlock);
      row.layout = static_cast<std::int64_t>(runner.wanted.layout);
      row.input = runs_.timed()[input];
      row.metric = plan_.benchmark.metric.metric;
      row.role = runner.wanted.role;
      row.value = value;
      samples.push_back(std::move(row));
    }
    runner.costs.push_back(cost);
    runner.ranks.push_back(runner.rank);
    runner.samples.insert(runner.samples.end(), samples.begin(), samples.end());
    return std::nullopt;
  }

  // The best `survivors` stay; the others leave, the worst first.
  void keep(std::size_t survivors) {
    std::vector<std::vector<double>> costs;
    costs.reserve(field_.size());
    for (const Runner& runner : field_) {
      costs.push_back(runner.costs);
    }
    std::vector<Runner> staying;
    std::vector<Runner> leaving;
    for (const std::size_t index : ranked_by_cost(costs)) {
      (staying.size() < survivors ? staying : leaving).push_back(std::move(field_[index]));
    }
    leave(std::move(leaving), Told::yes);
    field_ = std::move(staying);
  }

  // Entries of runners whose race is over, from the best to the worst of them.
  void leave(std::vector<Runner> runners, Told told) {
    for (auto runner = runners.rbegin(); runner != runners.rend(); ++runner) {
      RaceEntry entry = entry_of(*runner);
      if (told == Told::yes) {
        tell(entry);
      }
      result_.entries.push_back(std::move(entry));
    }
  }

  void tell(const RaceEntry& entry) const {
    if (plan_.on_leave) {
      plan_.on_leave(entry);
    }
  }

  RaceEntry entry_of(const Runner& runner) const {
    RaceEntry entry;
    entry.candidate = runner.wanted.candidate;
    // A block that was cut short may lack either.
    entry.blocks = std::min(runner.costs.size(), baseline_.costs.size());
    std::vector<double> rewards;
    for (std::size_t block = 0; block < entry.blocks; ++block) {
      rewards.push_back(baseline_.costs[block] - runner.costs[block]);
      const bool second = baseline_.ranks[block] < runner.ranks[block];
      entry.pairs.push_back(
          {rewards.back(), second ? RunOrder::baseline_first : RunOrder::candidate_first});
      for (const bool first : {true, false}) {
        add_samples(first == second ? baseline_ : runner, block, first ? 0 : 1, entry.samples);
      }
    }
    entry.reward = hodges_lehmann(rewards);
    return entry;
  }

  void add_samples(const Runner& runner, std::size_t block, std::int64_t position,
                   std::vector<Sample>& samples) const {
    const std::size_t inputs = runs_.timed().size();
    for (std::size_t input = 0; input < inputs; ++input) {
      samples.push_back(runner.samples[block * inputs + input]);
      samples.back().position = position;
    }
  }

  const RacePlan& plan_;
  const std::stop_token& stop_;
  CheckedRuns runs_;
  Random random_;
  Runner baseline_;
  std::vector<Runner> field_;      // candidates in the race
  std::vector<RaceEntry> failed_;  // in the order in which they did
  Race result_;
};

}  // namespace

Race race(Bench& bench, const RacePlan& plan, const std::stop_token& stop) {
  return Racer(bench, plan, stop).run();
}

}  // namespace hone
