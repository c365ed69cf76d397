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
  // rest. invalid_argument if that cannot be asked for; unavailable if nobody listens; timed_out;
  // permission_denied; conflict if what was set is not what is in force.
  virtual Async<void> set_share(int percent) = 0;
  // What is in force, per cent, rounded up. Errors as above.
  virtual Async<int> share() = 0;
};

}  // namespace hone
