// Where the canary's share of traffic is set: HAProxy's runtime, or a manifest that a mesh applies.
//
// A driver holds no state: whoever drives may be another coordinator than a moment ago. Not thread
// safe.
#pragma once

#include "server/store/async.h"

namespace hone {

class TrafficDriver {
 public:
  virtual ~TrafficDriver() = default;

  // From now on the canary gets at most `percent` (0 to 100) of the requests; the baseline the
  // rest. invalid_argument if that cannot be asked for; unavailable if nobody listens, or what was
  // set is not what is in force; timed_out; permission_denied. No conflict: those are of revisions,
  // which are no news.
  virtual Async<void> set_share(int percent) = 0;
  // What is in force, per cent, rounded up; unavailable if nobody is given any. Errors as above.
  virtual Async<int> share() = 0;
};

}  // namespace hone
