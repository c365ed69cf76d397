#include "worker/run/sanitized_check.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <utility>

#include "worker/build/compile_log.h"
#include "worker/build/extra_build.h"
#include "worker/build/sanitizers.h"
#include "worker/run/sanitized_baseline.h"
#include "worker/run/sanitized_bench.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string name_of(int slot) {
  char name[16];
  std::snprintf(name, sizeof name, "a%03d", slot);
  return name;
}

std::string could_not_tell(const std::string& why) {
  return "the check with sanitizers could not tell whether the candidate is wrong: " + why;
}

class Check {
 public:
  Check(Workspace& workspace, const WorkspaceContext& context, const Slot& slot,
        const SanitizedSides& sides, StepLog& log, const std::stop_token& stop)
      : workspace_(workspace),
        context_(context),
        slot_(slot),
        sides_(sides),
        log_(log),
        stop_(stop),
        name_(name_of(slot.number)) {}
  ~Check() { remove_extra(workspace_, name_, BuildFolder::remove); }
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  Result<SanitizedResult> run() {
    HONE_TRY(const SanitizedBaseline baseline,
             prepare_sanitized_baseline(workspace_, context_, slot_.number, log_, stop_));
    if (stop_.stop_requested()) {
      return cancelled();
    }
    if (!baseline.why_none.empty()) {
      return warn("the baseline does not build with them: " + baseline.why_none);
    }
    HONE_TRY(const bool built, build_candidate());
    if (built) {
      HONE_CHECK(compare());
    }
    return std::move(result_);
  }

 private:
  SanitizedResult cancelled() {
    result_.ending = Ending{Outcome::cancelled, "stopped on request"};
    return std::move(result_);
  }
  SanitizedResult warn(const std::string& why) {
    result_.warnings.push_back(could_not_tell(why));
    return std::move(result_);
  }

  // False if the result is complete.
  Result<bool> build_candidate() {
    ExtraBuild wanted = sanitized_build(workspace_, context_, name_, slot_.number);
    wanted.policy = sides_.policy;
    HONE_TRY(const BuildReport report, build_extra(workspace_, context_, wanted, log_, stop_));
    if (report.end == BuildEnd::unavailable) {
      return fail(ErrorCode::unavailable, report.reason);
    }
    if (report.end == BuildEnd::stopped) {
      result_.ending = Ending{Outcome::cancelled, report.reason};
      return false;
    }
    Result<std::vector<CompileLine>> read = read_compile_log(extra_compile_log(workspace_, name_));
    if (!read && read.error().code == ErrorCode::too_large) {
      result_.warnings.push_back(could_not_tell(read.error().message));
      return false;
    }
    HONE_TRY(const std::vector<CompileLine> lines, std::move(read));
    const std::optional<CompileFailure> failure = first_failure(lines);
    if (failure || report.end != BuildEnd::ok) {
      result_.warnings.push_back(could_not_tell("the candidate does not build with them: " +
                                                (failure ? failure->reason : report.reason)));
      return false;
    }
    count_plain(lines);
    return true;
  }

  // Of an object that was tuned, and with the sanitizers is not, the check says nothing.
  void count_plain(const std::vector<CompileLine>& lines) {
    const fs::path build = extra_build_folder(workspace_, name_);
    std::map<std::string, EffectiveDecision> made;
    for (EffectiveDecision& decision : effective_decisions(
             lines, builds_in_copy(workspace_.target()) ? build : workspace_.source(), build)) {
      made[decision.output] = std::move(decision);
    }
    std::size_t tuned = 0;
    std::size_t plain = 0;
    std::string first;
    for (const EffectiveDecision& decision : sides_.decisions) {
      if (!decision.tuned) {
        continue;
      }
      ++tuned;
      const auto found = made.find(decision.output);
      if (found == made.end() || !found->second.tuned) {
        const std::string why = found == made.end() ? "not compiled" : found->second.reason;
        first = plain++ == 0 ? decision.source + ": " + why : first;
      }
    }
    if (plain > 0) {
      result_.warnings.push_back("of " + std::to_string(tuned) + " tuned objects, " +
                                 std::to_string(plain) +
                                 " were not tuned in the build with sanitizers, whose check says "
                                 "nothing of them (" +
                                 first + ")");
    }
  }

  Result<void> compare() {
    Result<SanitizedBench> bench = SanitizedBench::create(
        workspace_, context_, slot_, extra_build_folder(workspace_, kSanitizedBaseline),
        extra_build_folder(workspace_, name_));
    if (!bench) {
      result_.warnings.push_back(could_not_tell(bench.error().message));
      return {};
    }
    CheckedRuns runs(*bench, bench->benchmark(), stop_);
    MaybeEnding ending = runs.check_baseline();
    const bool baselines = ending.has_value();
    if (!ending) {
      ending = runs.check_candidate(0);
    }
    if (bench->trouble()) {
      return *bench->trouble();
    }
    if (!ending) {
      return {};
    }
    if (ending->outcome == Outcome::cancelled) {
      result_.ending = std::move(ending);
    } else if (!baselines && ending->outcome == Outcome::miscompiled) {
      result_.ending = Ending{Outcome::miscompiled, "built with sanitizers: " + ending->reason};
    } else {
      result_.warnings.push_back(could_not_tell(ending->reason));
    }
    return {};
  }

  Workspace& workspace_;
  const WorkspaceContext& context_;
  const Slot& slot_;
  const SanitizedSides& sides_;
  StepLog& log_;
  const std::stop_token& stop_;
  std::string name_;
  SanitizedResult result_;
};

}  // namespace

Result<SanitizedResult> check_with_sanitizers(Workspace& workspace, const WorkspaceContext& context,
                                              const Slot& slot, const SanitizedSides& sides,
                                              StepLog& log, const std::stop_token& stop) {
  return Check(workspace, context, slot, sides, log, stop).run();
}

}  // namespace hone
