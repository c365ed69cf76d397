// The leases of jobs that are measured together: a first one, and others of its campaign that are
// raced beside it (heat.h). The lease loop has them; a runner asks for more and tells each one's
// end. Not thread safe.
#pragma once

#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/lease.h"

namespace hone {

struct HeldLease {
  Lease lease;
  // Of this job alone: it was cancelled or its lease lost, or the worker is to stop.
  std::stop_token stop;
};

class HeatLeases {
 public:
  virtual ~HeatLeases() = default;
  virtual const HeldLease& first() const = 0;
  // One more job of the same campaign, target version and baseline, whose lease is held until its
  // end is told; nothing if there is none, if as many are held as may be, or none any more. What it
  // points to lives as long as this.
  virtual const HeldLease* another() = 0;
  // Tells what became of a job, once: its result, or this machine's own trouble. Whether honed has
  // counted the result.
  virtual bool end(const HeldLease& held, Result<AttemptResult> result) = 0;
  // Gives a job back that was not measured through no fault of its own, uncounted; in place of
  // end().
  virtual void hand_back(const HeldLease& held, const std::string& reason) = 0;
};

}  // namespace hone
