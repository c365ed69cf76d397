#include "worker/run/heat.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/log.h"
#include "staging/verdict/race_estimate.h"
#include "staging/verdict/self_check.h"
#include "worker/run/all_stops.h"
#include "worker/run/baseline_profile.h"
#include "worker/run/compile_bench.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

ComparisonPlan plan_of(const Lease& lease) {
  ComparisonPlan plan;
  plan.benchmark = lease.target.benchmark;
  plan.stage = lease.stage;
  plan.seed = lease.seed;
  return plan;
}

}  // namespace

Heat::Heat(Workspace& workspace, const WorkspaceContext& context, HeatLeases& leases,
           const Slot& slot, const std::stop_token& stop)
    : workspace_(workspace),
      context_(context),
      leases_(leases),
      slot_(slot),
      stop_(stop),
      builds_(workspace, slot.number, context.disk) {}

void Heat::run() {
  gather();
  check_machine();
  profile_baseline_once();
  measure();
  if (opened_) {
    workspace_.close_slot(slot_.number);
  }
}

void Heat::gather() {
  for (const HeldLease* held = &leases_.first(); held != nullptr;
       held = may_grow() ? leases_.another() : nullptr) {
    Job job{held, std::make_unique<CandidateBuild>(workspace_, context_, held->lease, slot_)};
    Result<bool> due = make(*job.build, held->stop);
    if (!due && due.error().code == ErrorCode::cancelled) {
      due = job.build->end(Outcome::cancelled, "stopped on request");
    }
    if (!due) {
      leases_.end(*held, due.error());
      return end_all(due.error(), nullptr);
    }
    if (*due) {
      add_racer(std::move(job));
    } else {
      leases_.end(*held, job.build->finish());
    }
  }
}

bool Heat::may_grow() {
  const Lease& lease = leases_.first().lease;
  const Metric metric = lease.target.benchmark.metric.metric;
  return lease.stage == Stage::race && !is_repeatable(metric) && !is_of_build(metric) &&
         Clock::now() - started_ < kGathering && builds_.has_room();
}

Result<bool> Heat::make(CandidateBuild& build, const std::stop_token& stop) {
  HONE_TRY(const bool prepared, build.prepare(stop));
  if (!prepared) {
    return false;
  }
  bool usable = false;
  if (opened_) {
    HONE_TRY(usable, builds_.next(stop));
  } else {
    HONE_TRY(usable, workspace_.open_slot(slot_.number));
    opened_ = true;
    started_ = Clock::now();
  }
  HONE_TRY(const bool built, build.build(!usable, stop));
  if (!built) {
    return false;
  }
  HONE_TRY(const bool fresh, build.look_for_equal_binary(stop));
  return fresh ? build.check_sanitized(stop) : Result<bool>(false);
}

void Heat::add_racer(Job job) {
  for (const std::unique_ptr<Racer>& racer : racers_) {
    const std::string& key = job.build->key();
    if (!key.empty() && racer->job.build->key() == key) {
      racer->twins.push_back(std::move(job));
      return;
    }
  }
  CandidateBuild& build = *job.build;
  Result<BuiltBench> bench = BuiltBench::create(
      workspace_, slot_, context_, {build.baseline().binaries, build.result().binaries});
  if (!bench) {
    build.end(Outcome::benchmark_failed, bench.error().message);
    leases_.end(*job.held, build.finish());
    return;
  }
  for (const std::string& warning : bench->warnings()) {
    build.warn(warning);
  }
  build.result().links = static_cast<std::int64_t>(bench->layouts());
  racers_.push_back(
      std::make_unique<Racer>(Racer{std::move(job), *std::move(bench), builds_.add(), {}, false}));
}

std::vector<Heat::Racer*> Heat::unfinished() const {
  std::vector<Racer*> list;
  for (const std::unique_ptr<Racer>& racer : racers_) {
    if (!racer->over) {
      list.push_back(racer.get());
    }
  }
  return list;
}

// Once for all that ask: as many results of one check would count as many bad ones in a row.
void Heat::check_machine() {
  const std::vector<Racer*> racers = unfinished();
  if (std::ranges::none_of(racers,
                           [](const Racer* racer) { return racer->job.held->lease.self_check; }) ||
      is_of_build(racers.front()->job.held->lease.target.benchmark.metric.metric)) {
    return;  // builds are checked by building: compare_builds()
  }
  HeatBench bench(builds_, sides_of(racers));
  const AllStops stops(stop_, stops_of(racers));
  check_ = self_check(bench, plan_of(racers.front()->job.held->lease), stops.token());
  if (bench.trouble()) {
    end_all(*bench.trouble(), who_met(racers, bench.troubled()));
  }
}

void Heat::profile_baseline_once() {
  const std::vector<Racer*> racers = unfinished();
  if (std::ranges::none_of(racers,
                           [](const Racer* racer) { return racer->job.held->lease.profile; })) {
    return;
  }
  const AllStops stops(stop_, stops_of(racers));
  Result<SourceProfile> made = profile_baseline(workspace_, context_, slot_, stops.token());
  if (made) {
    log_info("baseline_profiled", {{"target", workspace_.target().name},
                                   {"files", static_cast<std::int64_t>(made->files.size())},
                                   {"why_none", made->why_none}});
    profile_ = *std::move(made);
  } else if (made.error().code != ErrorCode::cancelled) {
    end_all(made.error(), racers.front());
  }
}

void Heat::measure() {
  std::map<std::size_t, std::vector<Racer*>> by_links;
  for (Racer* const racer : unfinished()) {
    by_links[racer->bench->layouts()].push_back(racer);
  }
  for (const auto& [links, group] : by_links) {
    if (!group.front()->over) {  // trouble ends all
      measure_group(group);
    }
  }
}

void Heat::measure_group(const std::vector<Racer*>& group) {
  HeatBench bench(builds_, sides_of(group));
  if (group.size() > 1) {
    race_all(group, bench);
  }
  // Also whom no race can be held with: all others failed, or one made the measurement fail.
  for (std::size_t candidate = 0; candidate < group.size(); ++candidate) {
    if (!group[candidate]->over) {
      measure_one(*group[candidate], bench, candidate);
      bench.leave(candidate);
    }
  }
}

std::vector<std::stop_token> Heat::stops_of(const std::vector<Racer*>& racers) {
  std::vector<std::stop_token> stops;
  stops.reserve(racers.size());
  for (const Racer* const racer : racers) {
    stops.push_back(racer->job.held->stop);
  }
  return stops;
}

std::vector<HeatSide> Heat::sides_of(const std::vector<Racer*>& racers) {
  std::vector<HeatSide> sides;
  sides.reserve(racers.size());
  for (Racer* const racer : racers) {
    sides.push_back({*racer->bench, racer->kept, racer->job.held->stop});
  }
  return sides;
}

void Heat::race_all(const std::vector<Racer*>& group, HeatBench& bench) {
  RacePlan plan;
  plan.benchmark = group.front()->job.held->lease.target.benchmark;
  plan.seed = group.front()->job.held->lease.seed;
  plan.halving = kCampaignHalving;
  const auto leave = [&](const RaceEntry& entry) {
    Racer& racer = *group[entry.candidate];
    // Who ran in no block is alone, and is compared.
    if (racer.over || bench.trouble() || (entry.outcome == Outcome::ok && entry.blocks == 0)) {
      return;
    }
    take(entry, bench, *racer.job.build);
    finish(racer);
    bench.leave(entry.candidate);
  };
  plan.on_leave = leave;
  const Race result = race(bench, plan, stop_);
  log_info("heat_ended", {{"campaign", group.front()->job.held->lease.campaign},
                          {"candidates", static_cast<std::int64_t>(group.size())},
                          {"samples", static_cast<std::int64_t>(result.runs)},
                          {"outcome", to_string(result.outcome)}});
  if (bench.trouble()) {
    return end_all(*bench.trouble(), who_met(group, bench.troubled()));
  }
  if (result.outcome == Outcome::ok || result.outcome == Outcome::benchmark_failed) {
    return;
  }
  for (RaceEntry entry : result.entries) {
    if (entry.outcome == Outcome::ok) {
      entry.outcome = result.outcome;
      entry.reason = result.reason;
    }
    // Nobody waits for what a worker that stops has measured: its jobs are taken up again.
    if (stop_.stop_requested()) {
      entry.pairs.clear();
    }
    Racer& racer = *group[entry.candidate];
    if (!racer.over) {
      take(entry, bench, *racer.job.build);
      finish(racer);
    }
  }
}

void Heat::take(const RaceEntry& entry, const HeatBench& bench, CandidateBuild& build) {
  AttemptResult& result = build.result();
  result.samples = entry.samples;
  result.measure_seconds = bench.seconds(entry.candidate);
  result.outcome = entry.outcome;
  result.reason = entry.reason;
  const bool blameless = entry.outcome == Outcome::ok || entry.outcome == Outcome::cancelled;
  std::optional<RaceEstimate> estimate;
  if (blameless) {
    estimate = race_estimate(entry, bench.layouts());
  }
  if (!estimate) {
    return;
  }
  if (entry.outcome == Outcome::cancelled) {
    build.warn("cancelled in the middle of its race: this is what " + std::to_string(entry.blocks) +
               " blocks of it say");
  }
  result.outcome = Outcome::ok;
  result.reason.clear();
  result.verdict = estimate->verdict;
  result.reward = estimate->reward;
  result.layout_sigma = estimate->layout_sigma;
  for (const std::string& warning : estimate->warnings) {
    build.warn(warning);
  }
}

void Heat::measure_one(Racer& racer, HeatBench& bench, std::size_t candidate) {
  const auto started = Clock::now();
  ComparisonPlan plan = plan_of(racer.job.held->lease);
  plan.candidate = candidate;
  if (is_of_build(plan.benchmark.metric.metric)) {
    compare_builds(racer, bench, std::move(plan));
  } else {
    take(compare(bench, plan, racer.job.held->stop), *racer.job.build);
  }
  if (bench.trouble()) {
    return end_all(*bench.trouble(), &racer);
  }
  if (!racer.over) {
    racer.job.build->result().measure_seconds = seconds_since(started);
    finish(racer);
  }
}

void Heat::compare_builds(Racer& racer, HeatBench& bench, ComparisonPlan plan) {
  const HeldLease& held = *racer.job.held;
  CandidateBuild& build = *racer.job.build;
  CompileBench builds(bench, workspace_, context_, slot_,
                      {build.baseline().outputs, build.result().decisions, build.policy()});
  if (MaybeEnding ending = builds.prepare(held.stop)) {
    build.end(ending->outcome, std::move(ending->reason));
  } else {
    plan.most_pairs = builds.most_pairs(plan.stage);
    if (held.lease.self_check) {
      check_ = self_check(builds, plan, held.stop);
    }
    take(compare(builds, plan, held.stop), build);
  }
  if (builds.trouble()) {
    end_all(*builds.trouble(), &racer);
  }
}

void Heat::take(Comparison comparison, CandidateBuild& build) {
  AttemptResult& result = build.result();
  result.outcome = comparison.outcome;
  result.reason = std::move(comparison.reason);
  result.verdict = comparison.verdict;
  result.reward = comparison.reward;
  result.samples = std::move(comparison.samples);
  result.layout_sigma = comparison.layout_sigma;
  result.warnings.insert(result.warnings.end(), comparison.warnings.begin(),
                         comparison.warnings.end());
}

void Heat::finish(Racer& racer) {
  racer.over = true;
  AttemptResult result = racer.job.build->finish();
  if (racer.job.held->lease.self_check && result.outcome != Outcome::cancelled) {
    result.self_check = std::exchange(check_, std::nullopt);
  }
  if (racer.job.held->lease.profile && result.outcome != Outcome::cancelled) {
    result.profile = std::exchange(profile_, std::nullopt);
  }
  const bool counted = leases_.end(*racer.job.held, result);
  finish_twins(racer, result, counted);
}

void Heat::finish_twins(Racer& racer, const AttemptResult& result, bool counted) {
  const std::string& attempt = racer.job.held->lease.attempt;
  for (Job& twin : racer.twins) {
    if (result.outcome == Outcome::cancelled || (result.outcome == Outcome::ok && !counted)) {
      leases_.hand_back(*twin.held, "the race of its binary, as attempt " + attempt +
                                        ", ended without a result that counts");
      continue;
    }
    if (result.outcome == Outcome::ok && result.verdict && result.reward) {
      twin.build->reuse(attempt, *result.verdict, *result.reward);
    } else {
      twin.build->end(result.outcome,
                      "identical binaries, measured by attempt " + attempt + ": " + result.reason);
    }
    leases_.end(*twin.held, twin.build->finish());
  }
}

// Where it was no candidate's run, the first of those that are unfinished: a heat that counts no
// attempt could come again for ever.
Heat::Racer* Heat::who_met(const std::vector<Racer*>& group,
                           std::optional<std::size_t> number) const {
  if (number && !group[*number]->over) {
    return group[*number];
  }
  const std::vector<Racer*> left = unfinished();
  return left.empty() ? nullptr : left.front();
}

void Heat::end_all(const Error& trouble, Racer* met) {
  const std::string beside =
      "beside it this machine failed at another candidate, through no fault "
      "of this one's: " +
      trouble.message;
  for (const std::unique_ptr<Racer>& racer : racers_) {
    if (std::exchange(racer->over, true)) {
      continue;
    }
    if (racer.get() == met) {
      leases_.end(*racer->job.held, trouble);
    } else {
      leases_.hand_back(*racer->job.held, beside);
    }
    for (const Job& twin : racer->twins) {
      leases_.hand_back(*twin.held, beside);
    }
  }
}

}  // namespace hone
