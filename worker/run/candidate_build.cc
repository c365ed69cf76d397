#include "worker/run/candidate_build.h"

#include <memory>
#include <set>
#include <utility>

#include "common/base/log.h"
#include "common/protocol/machine_info.h"
#include "staging/counters/run_counter.h"
#include "worker/build/binaries.h"
#include "worker/build/sanitizers.h"
#include "worker/run/lease_log_scope.h"
#include "worker/run/readable_text.h"
#include "worker/run/sanitized_check.h"

namespace hone {
namespace {

constexpr std::size_t kMaxWarningBytes = 1000;

}  // namespace

CandidateBuild::CandidateBuild(Workspace& workspace, const WorkspaceContext& context,
                               const Lease& lease, const Slot& slot)
    : workspace_(workspace),
      context_(context),
      lease_(lease),
      slot_(slot),
      log_(workspace.folder() / ("step-" + std::to_string(slot.number) + ".log"), context.disk) {
  result_.machine = machine_info();
  result_.toolchain = context.toolchain.info;
  for (const std::string& warning : context.sandbox.warnings()) {
    warn("sandbox: " + warning);
  }
}

bool CandidateBuild::end(Outcome outcome, std::string reason) {
  result_.outcome = outcome;
  result_.reason = std::move(reason);
  return false;
}

void CandidateBuild::warn(const std::string& warning) {
  result_.warnings.push_back(readable_text(warning, kMaxWarningBytes));
}

// What this machine lacks is asked before minutes of building.
bool CandidateBuild::can_measure() {
  const BenchmarkSpec& benchmark = lease_.target.benchmark;
  const Result<std::unique_ptr<RunCounter>> counter = make_run_counter(benchmark.metric.metric, {});
  if (!counter) {
    return end(Outcome::benchmark_failed, counter.error().message);
  }
  const Result<void> runtime =
      benchmark.sanitize.empty()
          ? Result<void>()
          : find_sanitizer_runtime(context_.toolchain, context_.users.of(slot_.number),
                                   benchmark.sanitize);
  return runtime ? true : end(Outcome::benchmark_failed, runtime.error().message);
}

Result<bool> CandidateBuild::prepare(const std::stop_token& stop) {
  const LeaseLogScope scope(lease_);
  if (!can_measure()) {
    return false;
  }
  HONE_TRY(PrepareReport report, workspace_.prepare(slot_.number, log_, stop));
  if (report.outcome != Outcome::ok) {
    return end(report.outcome, std::move(report.reason));
  }
  baseline_ = std::move(report.baseline);
  result_.baseline_build_seconds = report.build_seconds;
  result_.baseline_binaries = baseline_.binaries;
  return true;
}

Result<bool> CandidateBuild::build(bool from_nothing, const std::stop_token& stop) {
  const LeaseLogScope scope(lease_);
  const Result<CandidatePolicy> policy =
      make_candidate_policy(lease_.target.name, lease_.target.tune, lease_.rules, baseline_.sources,
                            context_.toolchain.compiler_major);
  if (!policy) {
    return end(Outcome::build_failed, "the candidate's rules: " + policy.error().describe());
  }
  policy_ = policy->index;
  HONE_TRY(bool done, build_once(*policy, from_nothing, stop));
  if (done && !from_nothing && lacks_objects()) {
    // Something that was not rebuilt holds objects of the candidate before: measure nothing else
    // than what this candidate's rules made.
    log_info("rebuild_from_nothing", {{"job", lease_.job}});
    HONE_TRY(done, build_once(*policy, true, stop));
  }
  return done;
}

bool CandidateBuild::lacks_objects() const {
  std::set<std::string> missing = baseline_.outputs;
  for (const EffectiveDecision& decision : result_.decisions) {
    missing.erase(decision.output);
  }
  return !missing.empty();
}

Result<bool> CandidateBuild::build_once(const CandidatePolicy& policy, bool from_nothing,
                                        const std::stop_token& stop) {
  HONE_TRY(const BuildReport report,
           workspace_.build_candidate(slot_.number, policy.index, from_nothing, log_, stop));
  result_.build_seconds += report.wall_seconds;
  Result<std::vector<CompileLine>> read = read_compile_log(workspace_.compile_log(slot_.number));
  if (!read && read.error().code == ErrorCode::too_large) {
    return end(Outcome::limit_exceeded, "the build's log of its compiles: " + read.error().message);
  }
  HONE_TRY(const std::vector<CompileLine> lines, std::move(read));
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

void CandidateBuild::take_decisions(const CandidatePolicy& policy,
                                    const std::vector<CompileLine>& lines) {
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

Result<bool> CandidateBuild::look_for_equal_binary(const std::stop_token& stop) {
  Result<std::vector<BinaryInfo>> binaries = describe_binaries(
      workspace_.candidate_build(slot_.number), lease_.target.build.binaries, stop);
  if (!binaries && binaries.error().code == ErrorCode::cancelled) {
    return end(Outcome::cancelled, binaries.error().message);
  }
  if (!binaries) {
    return end(Outcome::build_failed, binaries.error().message);
  }
  result_.binaries = *std::move(binaries);
  if (is_of_build(lease_.target.benchmark.metric.metric)) {
    return true;  // what made the same binary may have taken another time
  }
  key_ = binaries_key(result_.binaries);
  if (!key_.empty() && key_ == binaries_key(baseline_.binaries)) {
    result_.outcome = Outcome::ok;
    result_.verdict = Verdict::no_change;
    result_.reason = "the candidate's binaries are identical to the baseline's; nothing to measure";
    return false;
  }
  if (lease_.stage != Stage::race) {
    return true;
  }
  const std::optional<MeasuredBinary> known = workspace_.measured().find(key_);
  if (!known) {
    return true;
  }
  reuse(known->attempt, known->verdict, known->reward);
  return false;
}

Result<bool> CandidateBuild::check_sanitized(const std::stop_token& stop) {
  if (lease_.stage != Stage::confirm || lease_.target.benchmark.sanitize.empty()) {
    return true;
  }
  HONE_TRY(SanitizedResult found, check_with_sanitizers(workspace_, context_, slot_,
                                                        {policy_, result_.decisions}, log_, stop));
  for (const std::string& warning : found.warnings) {
    warn(warning);
  }
  return found.ending ? end(found.ending->outcome, std::move(found.ending->reason)) : true;
}

void CandidateBuild::reuse(const std::string& attempt, Verdict verdict,
                           const RewardEstimate& reward) {
  result_.outcome = Outcome::ok;
  result_.verdict = verdict;
  result_.reward = reward;
  result_.reused_attempt = attempt;
  result_.reason = "identical binaries were measured by attempt " + attempt;
}

AttemptResult CandidateBuild::finish() {
  if (result_.outcome != Outcome::ok) {
    // Samples stay for whoever looks into it; a verdict or reward never.
    result_.verdict.reset();
    result_.reward.reset();
  }
  result_.reason = readable_text(result_.reason, kMaxReasonBytes);
  result_.log = readable_text(log_.tail(), kLogTail);
  return std::move(result_);
}

}  // namespace hone
