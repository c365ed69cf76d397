// Which job this thread works for, on every line that it logs meanwhile. Thread safe.
#pragma once

#include "common/base/log.h"
#include "common/base/trace_context.h"
#include "common/protocol/lease.h"

namespace hone {

class LeaseLogScope {
 public:
  explicit LeaseLogScope(const Lease& lease)
      : trace_(parse_traceparent(lease.traceparent).value_or(TraceContext())),
        scope_({{"job", lease.job}, {"attempt", lease.attempt}, {"trace_id", trace_.trace_id}}) {}

 private:
  TraceContext trace_;
  LogScope scope_;
};

}  // namespace hone
