#include "worker/run/job_runner.h"

#include <chrono>
#include <memory>
#include <set>

#include "common/base/log.h"
#include "staging/counters/run_counter.h"
#include "staging/verdict/comparison.h"
#include "staging/verdict/self_check.h"
#include "worker/build/binaries.h"
#include "worker/build/candidate_policy.h"
#include "worker/build/compile_log.h"
#include "worker/build/sanitizers.h"
#include "worker/run/built_bench.h"
#include "worker/run/compile_bench.h"
#include "worker/run/machine_info.h"
#include "worker/run/readable_text.h"
#include "worker/run/sanitized_check.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxWarningBytes = 1000;

// Gives the slot back whichever way the job ends; a killed worker does not get here, and the
// slot's folders are then made anew.
class SlotUse {
 public:
  SlotUse(Workspace& workspace, int slot) : workspace_(workspace), slot_(slot) {}
  ~SlotUse() { workspace_.close_slot(slot_); }
  SlotUse(const SlotUse&) = delete;
  SlotUse& operator=(const SlotUse&) = delete;

 private:
  Workspace& workspace_;
  int slot_;
};

class Job {
 public:
  Job(Workspace& workspace, const WorkspaceContext& context, const Lease& lease, const Slot& slot,
      const std::stop_token& stop)
      : workspace_(workspace),
        context_(context),
        lease_(lease),
        slot_(slot),
        stop_(stop),
        log_(workspace.folder() / ("step-" + std::to_string(slot.number) + ".log"), context.disk) {}

  Result<AttemptResult> run() {
    result_.machine = machine_info();
    result_.toolchain = context_.toolchain.info;
    for (const std::string& warning : context_.sandbox.warnings()) {
      result_.warnings.push_back(readable_text("sandbox: " + warning, kMaxWarningBytes));
    }
    const Result<void> done = run_stages();
    if (!done) {
      return done.error();
    }
    if (result_.outcome != Outcome::ok) {
      // Samples stay for whoever looks into it; a verdict or reward never.
      result_.verdict.reset();
      result_.reward.reset();
    }
    result_.reason = readable_text(result_.reason, kMaxReasonBytes);
    result_.log = readable_text(log_.tail(), kLogTail);
    return std::move(result_);
  }

 private:
  // Each stage returns whether the next one is due; if not, the result is complete.
  Result<void> run_stages() {
    if (!can_count()) {
      return {};
    }
    HONE_TRY(const bool prepared, prepare());
    if (!prepared) {
      return {};
    }
    HONE_TRY(const bool usable, workspace_.open_slot(slot_.number));
    const SlotUse use(workspace_, slot_.number);
    HONE_TRY(const bool built, build(!usable));
    if (!built) {
      return {};
    }
    HONE_TRY(const bool fresh, look_for_equal_binary());
    if (!fresh) {
      return {};
    }
    HONE_TRY(const bool clean, check_sanitized());
    return clean ? measure() : Result<void>();
  }

  bool end(Outcome outcome, std::string reason) {
    result_.outcome = outcome;
    result_.reason = std::move(reason);
    return false;
  }

  // What this machine lacks is asked before minutes of building.
  bool can_count() {
    const Result<std::unique_ptr<RunCounter>> counter =
        make_run_counter(lease_.target.benchmark.metric.metric, {});
    if (!counter) {
      return end(Outcome::benchmark_failed, counter.error().message);
    }
    const std::vector<Sanitizer>& sanitizers = lease_.target.benchmark.sanitize;
    const Result<void> runtime =
        sanitizers.empty() ? Result<void>()
                           : find_sanitizer_runtime(context_.toolchain,
                                                    context_.users.of(slot_.number), sanitizers);
    return runtime ? true : end(Outcome::benchmark_failed, runtime.error().message);
  }

  Result<bool> prepare() {
    HONE_TRY(PrepareReport report, workspace_.prepare(slot_.number, log_, stop_));
    if (report.outcome != Outcome::ok) {
      return end(report.outcome, std::move(report.reason));
    }
    baseline_ = std::move(report.baseline);
    result_.baseline_build_seconds = report.build_seconds;
    result_.baseline_binaries = baseline_.binaries;
    return true;
  }

  Result<bool> build(bool from_nothing) {
    const Result<CandidatePolicy> policy =
        make_candidate_policy(lease_.target.name, lease_.target.tune, lease_.rules,
                              baseline_.sources, context_.toolchain.compiler_major);
    if (!policy) {
      return end(Outcome::build_failed, "the candidate's rules: " + policy.error().describe());
    }
    policy_index_ = policy->index;
    HONE_TRY(bool done, build_once(*policy, from_nothing));
    if (done && !from_nothing && lacks_objects()) {
      // Something that was not rebuilt holds objects of the candidate before: measure nothing else
      // than what this candidate's rules made.
      log_info("rebuild_from_nothing", {{"job", lease_.job}});
      HONE_TRY(done, build_once(*policy, true));
    }
    return done;
  }

  bool lacks_objects() const {
    std::set<std::string> missing = baseline_.outputs;
    for (const EffectiveDecision& decision : result_.decisions) {
      missing.erase(decision.output);
    }
    return !missing.empty();
  }

  Result<bool> build_once(const CandidatePolicy& policy, bool from_nothing) {
    HONE_TRY(const BuildReport report,
             workspace_.build_candidate(slot_.number, policy.index, from_nothing, log_, stop_));
    result_.build_seconds += report.wall_seconds;
    HONE_TRY(const std::vector<CompileLine> lines,
             read_compile_log(workspace_.compile_log(slot_.number)));
    take_decisions(policy, lines);
    if (report.end == BuildEnd::unavailable) {
      return fail(ErrorCode::unavailable, report.reason);
    }
    if (report.end == BuildEnd::stopped) {
      return end(Outcome::cancelled, report.reason);
    }
    // Before the build's own end: what a failed tuned compile leads to is the failure's doing, and
    // a build that goes on without the object must not earn a reward.
    if (const std::optional<CompileFailure> failure = first_failure(lines)) {
      return end(
          failure->outcome,
          failure->reason + (report.reason.empty() ? "" : "; the build then: " + report.reason));
    }
    switch (report.end) {
      case BuildEnd::ok:
        break;
      case BuildEnd::timed_out:
        return end(Outcome::timed_out, report.reason);
      case BuildEnd::limit_exceeded:
        return end(Outcome::limit_exceeded, report.reason);
      case BuildEnd::failed:
      case BuildEnd::stopped:
      case BuildEnd::unavailable:
        return end(Outcome::build_failed, "the candidate does not build: " + report.reason);
    }
    return true;
  }

  void take_decisions(const CandidatePolicy& policy, const std::vector<CompileLine>& lines) {
    result_.decisions = effective_decisions(lines, workspace_.candidate_root(slot_.number),
                                            workspace_.candidate_build(slot_.number));
    mark_refused(policy, result_.decisions);
    if (result_.decisions.size() > kMaxDecisions) {
      result_.decisions.resize(kMaxDecisions);
      result_.warnings.push_back("more objects than a result may hold; the rest is left out");
    }
    for (EffectiveDecision& decision : result_.decisions) {
      const auto id = baseline_.state_ids.find(decision.output);
      if (id != baseline_.state_ids.end()) {
        decision.state_id = id->second;
      }
    }
  }

  // False if the result is known without measuring.
  Result<bool> look_for_equal_binary() {
    Result<std::vector<BinaryInfo>> binaries =
        describe_binaries(workspace_.candidate_build(slot_.number), lease_.target.build.binaries);
    if (!binaries) {
      return end(Outcome::build_failed, binaries.error().message);
    }
    result_.binaries = *std::move(binaries);
    if (is_of_build(lease_.target.benchmark.metric.metric)) {
      return true;  // what made the same binary may have taken another time
    }
    const std::string key = binaries_key(result_.binaries);
    if (!key.empty() && key == binaries_key(baseline_.binaries)) {
      result_.outcome = Outcome::ok;
      result_.verdict = Verdict::no_change;
      result_.reason =
          "the candidate's binaries are identical to the baseline's; nothing to measure";
      return false;
    }
    if (lease_.stage != Stage::race) {
      return true;
    }
    const std::optional<MeasuredBinary> known = workspace_.measured().find(key);
    if (!known) {
      return true;
    }
    result_.outcome = Outcome::ok;
    result_.verdict = known->verdict;
    result_.reward = known->reward;
    result_.reused_attempt = known->attempt;
    result_.reason = "identical binaries were measured by attempt " + known->attempt;
    return false;
  }

  // False if the candidate is wrong. Only before a confirmation: it takes another build of each
  // candidate, and what is published was confirmed.
  Result<bool> check_sanitized() {
    if (lease_.stage != Stage::confirm || lease_.target.benchmark.sanitize.empty()) {
      return true;
    }
    HONE_TRY(SanitizedResult found,
             check_with_sanitizers(workspace_, context_, slot_, {policy_index_, result_.decisions},
                                   log_, stop_));
    for (const std::string& warning : found.warnings) {
      result_.warnings.push_back(readable_text(warning, kMaxWarningBytes));
    }
    return found.ending ? end(found.ending->outcome, std::move(found.ending->reason)) : true;
  }

  Result<void> measure() {
    const auto started = std::chrono::steady_clock::now();
    Result<BuiltBench> bench =
        BuiltBench::create(workspace_, slot_, context_, {baseline_.binaries, result_.binaries});
    if (!bench) {
      end(Outcome::benchmark_failed, bench.error().message);
      return {};
    }
    for (const std::string& warning : bench->warnings()) {
      result_.warnings.push_back(readable_text(warning, kMaxWarningBytes));
    }
    ComparisonPlan plan;
    plan.benchmark = lease_.target.benchmark;
    plan.stage = lease_.stage;
    plan.seed = lease_.seed;
    Bench* measured = &*bench;
    std::optional<CompileBench> builds;
    if (is_of_build(plan.benchmark.metric.metric)) {
      builds.emplace(*bench, workspace_, context_, slot_,
                     CompiledSides{baseline_.outputs, result_.decisions, policy_index_});
      if (MaybeEnding ending = builds->prepare(stop_)) {
        end(ending->outcome, std::move(ending->reason));
        return builds->trouble() ? Result<void>(*builds->trouble()) : Result<void>();
      }
      plan.most_pairs = builds->most_pairs(plan.stage);
      measured = &*builds;
    }
    if (lease_.self_check) {
      result_.self_check = self_check(*measured, plan, stop_);
    }
    Comparison comparison = compare(*measured, plan, stop_);
    if (bench->trouble()) {
      return *bench->trouble();
    }
    if (builds && builds->trouble()) {
      return *builds->trouble();
    }
    result_.outcome = comparison.outcome;
    result_.reason = std::move(comparison.reason);
    result_.verdict = comparison.verdict;
    result_.reward = comparison.reward;
    result_.samples = std::move(comparison.samples);
    result_.links = static_cast<std::int64_t>(bench->layouts());
    result_.layout_sigma = comparison.layout_sigma;
    result_.warnings.insert(result_.warnings.end(), comparison.warnings.begin(),
                            comparison.warnings.end());
    result_.measure_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return {};
  }

  Workspace& workspace_;
  const WorkspaceContext& context_;
  const Lease& lease_;
  const Slot& slot_;
  const std::stop_token& stop_;
  StepLog log_;
  Baseline baseline_;
  std::string policy_index_;  // of the candidate
  AttemptResult result_;
};

}  // namespace

Result<AttemptResult> JobRunner::run(const Lease& lease, const Slot& slot,
                                     const std::stop_token& stop) {
  HONE_TRY(const std::shared_ptr<Workspace> workspace, pool_.open(lease.target, lease.baseline));
  return Job(*workspace, context_, lease, slot, stop).run();
}

void JobRunner::accepted(const Lease& lease, const AttemptResult& result) {
  if (lease.stage != Stage::race || result.outcome != Outcome::ok || !result.verdict ||
      !result.reward || !result.reused_attempt.empty() || result.binaries.empty()) {
    return;
  }
  const Result<std::shared_ptr<Workspace>> workspace = pool_.open(lease.target, lease.baseline);
  const Result<void> added = workspace ? (*workspace)
                                             ->measured()
                                             .add(binaries_key(result.binaries),
                                                  {lease.attempt, *result.verdict, *result.reward})
                                       : workspace.error();
  if (!added) {
    log_warning("result_not_remembered", {{"why", added.error().message}});
  }
}

}  // namespace hone
