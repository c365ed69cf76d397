// The life of a canary, as a pure function: what is known goes in, state and share of traffic come
// out.
//
//   prepared -> ramping (1, 5, 25, 50 %) -> judged -> promoted
//                  |                          |
//                  +--------> rolled_back <---+        aborted: somebody ended it, or it never
//                  served
//
// The controller stores each outcome before traffic follows it, so that a coordinator that died
// anywhere finds the state that traffic may be in. Invariants, held by a property test: the share
// is never above the ramp's present step unless the canary is promoted; it is promoted only from
// judged, where a budget that is spent, or that nobody can read, withdraws it; by itself only while
// its policy may be put in force (by hand the store refuses a spent budget and an obstacle); a step
// is left upwards only after its windows were seen without harm; what has ended serves nothing (or,
// promoted, everything) for ever. Thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/protocol/canary.h"
#include "server/rewards/canary_judge.h"

namespace hone {

// Why traffic must leave the canary at once, whatever intervals say.
struct Breach {
  std::string reason;
};

// What the controller learnt in one interval.
struct CanaryInterval {
  bool window_known = false;                 // whether the newest window told both groups
  SliFinding finding = SliFinding::no_data;  // of all windows so far
  std::string finding_reason;
  std::optional<Breach> breach = std::nullopt;  // of a hard limit, in the newest window
  bool budget_left = true;                      // of errors that exploration may cause
  bool budget_known = true;                     // false: it could not be asked for in time
  // Why its policy may not be put in force now (a signature is missing, say).
  std::optional<std::string> obstacle = std::nullopt;
  bool traffic_follows = true;  // whether the share is what was asked for
};

// After an interval. A status that has ended stays as it is.
CanaryStatus after_interval(const RampPlan& plan, CanaryStatus status,
                            const CanaryInterval& interval);
// Somebody approved: judged becomes promoted; conflict in any other state.
Result<CanaryStatus> approved(CanaryStatus status, std::string_view who);
// Somebody ended it: it serves nothing from now on; conflict if it has ended.
Result<CanaryStatus> ended_by_hand(CanaryStatus status, std::string_view who, std::string_view why);

}  // namespace hone
