#include "server/canaries/canary_machine.h"

#include <fmt/format.h>

namespace hone {
namespace {

CanaryStatus ended(CanaryStatus status, CanaryState state, CanaryCause cause, std::string reason) {
  status.state = state;
  status.cause = cause;
  status.share = state == CanaryState::promoted ? 100 : 0;
  status.reason = std::move(reason);
  return status;
}

CanaryStatus rolled_back(CanaryStatus status, CanaryCause cause, std::string reason) {
  return ended(std::move(status), CanaryState::rolled_back, cause, std::move(reason));
}

CanaryStatus at_step(const RampPlan& plan, CanaryStatus status, std::size_t step) {
  status.state = CanaryState::ramping;
  status.step = step;
  status.step_windows = 0;
  status.share = plan.steps[step];
  status.reason =
      fmt::format("{} % of traffic, step {} of {}", status.share, step + 1, plan.steps.size());
  return status;
}

bool rules_harm_out(SliFinding finding) {
  return finding == SliFinding::harmless || finding == SliFinding::better;
}

// The end of the last step: judged, more windows, or over.
CanaryStatus judge(const RampPlan& plan, CanaryStatus status, const CanaryInterval& interval) {
  if (rules_harm_out(interval.finding)) {
    status.state = CanaryState::judged;
    status.step_windows = 0;
    status.reason = interval.finding_reason;
    if (plan.approval == Approval::by_hand) {
      status.reason += "; waits for approval";
    }
    return status;
  }
  if (status.step_windows >= plan.most_windows) {
    return rolled_back(std::move(status), CanaryCause::undecided,
                       "harm was not ruled out in time: " + interval.finding_reason);
  }
  return status;
}

CanaryStatus ramp(const RampPlan& plan, CanaryStatus status, const CanaryInterval& interval) {
  // Windows count only while traffic is what they are said to be of.
  if (interval.window_known && interval.traffic_follows) {
    ++status.step_windows;
  }
  if (status.step_windows < plan.step_windows) {
    return status;
  }
  if (status.step + 1 == plan.steps.size()) {
    return judge(plan, std::move(status), interval);
  }
  const std::size_t next = status.step + 1;
  return at_step(plan, std::move(status), next);
}

// Judged: it goes on being watched while it waits; harm found late would still end it. Not for
// ever: each window is kept and looked through at the next.
CanaryStatus wait_for_leave(const RampPlan& plan, CanaryStatus status,
                            const CanaryInterval& interval) {
  if (plan.approval == Approval::automatic && rules_harm_out(interval.finding)) {
    if (!interval.obstacle) {
      return ended(std::move(status), CanaryState::promoted, CanaryCause::none,
                   interval.finding_reason);
    }
    status.reason = "waits: " + *interval.obstacle;
  }
  if (++status.step_windows >= plan.most_waiting) {
    const std::string reason = fmt::format("it was judged, and then waited {} windows in vain: {}",
                                           plan.most_waiting, status.reason);
    return rolled_back(std::move(status), CanaryCause::undecided, reason);
  }
  return status;
}

}  // namespace

CanaryStatus after_interval(const RampPlan& plan, CanaryStatus status,
                            const CanaryInterval& interval) {
  if (has_ended(status.state)) {
    return status;
  }
  if (!interval.budget_left || !interval.budget_known) {
    const std::string reason =
        interval.budget_known
            ? "the error budget is spent: only the known-good policy is served"
            : "nobody knows what is left of the error budget: only the known-good policy is served";
    return status.state == CanaryState::prepared
               ? CanaryStatus{.reason = "waits: " + reason}
               : rolled_back(std::move(status), CanaryCause::budget, reason);
  }
  if (status.state == CanaryState::prepared) {
    return at_step(plan, std::move(status), 0);
  }
  if (interval.breach) {
    return rolled_back(std::move(status), CanaryCause::limit, interval.breach->reason);
  }
  if (interval.finding == SliFinding::worse) {
    return rolled_back(std::move(status), CanaryCause::harm, interval.finding_reason);
  }
  status.lost_windows = interval.window_known ? 0 : status.lost_windows + 1;
  if (status.lost_windows >= plan.most_lost) {
    const std::string reason = fmt::format("{} windows in a row told nothing: {}",
                                           status.lost_windows, interval.finding_reason);
    return rolled_back(std::move(status), CanaryCause::lost_windows, reason);
  }
  if (status.state == CanaryState::ramping) {
    return ramp(plan, std::move(status), interval);
  }
  return wait_for_leave(plan, std::move(status), interval);
}

Result<CanaryStatus> approved(CanaryStatus status, std::string_view who) {
  if (status.state != CanaryState::judged) {
    return fail(ErrorCode::conflict, fmt::format("only a canary that was judged can be approved, "
                                                 "this one is {}",
                                                 to_string(status.state)));
  }
  return ended(std::move(status), CanaryState::promoted, CanaryCause::none,
               fmt::format("approved by {}", who));
}

Result<CanaryStatus> ended_by_hand(CanaryStatus status, std::string_view who,
                                   std::string_view why) {
  if (has_ended(status.state)) {
    return fail(ErrorCode::conflict,
                fmt::format("it has ended already: {}", to_string(status.state)));
  }
  return ended(std::move(status), CanaryState::aborted, CanaryCause::by_hand,
               fmt::format("ended by {}: {}", who, why));
}

}  // namespace hone
