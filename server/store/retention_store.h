// Removes what is older than it is kept for, a batch at a time, so that no statement is long and
// nobody waits behind one. Never removed: results with rewards, intervals and decisions,
// experiences, policies, decisions of canaries, and of a campaign that published a policy, or has
// not ended, anything at all, nor what its results were taken over from. Not thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "server/store/async.h"

namespace hone {

// Days; 0: for ever.
struct RetentionOptions {
  std::int64_t samples_days = 0;
  std::int64_t job_logs_days = 0;
  std::int64_t events_days = 7;
  std::int64_t session_log_days = 0;
  std::int64_t states_days = 30;         // since one that nothing refers to was made
  std::int64_t canary_windows_days = 0;  // since the canary ended
  std::int64_t audit_days = 0;
};

enum class Retained {
  samples,
  job_logs,
  events,
  idempotency_keys,
  episodes,
  states,
  canary_windows,
  audit
};
inline constexpr std::array kAllRetained{
    Retained::samples,  Retained::job_logs, Retained::events,         Retained::idempotency_keys,
    Retained::episodes, Retained::states,   Retained::canary_windows, Retained::audit};
std::string_view to_string(Retained what);

// Days that a kind is kept. Idempotency keys have one day, whatever is set.
std::int64_t days_of(const RetentionOptions& options, Retained what);

struct RetentionStep {
  std::int64_t removed = 0;  // rows; of job_logs, logs
  bool more = false;         // call again
  std::int64_t cursor = 0;   // to be given to the next call of this pass
};

class RetentionStore {
 public:
  explicit RetentionStore(PgPool& pool) : pool_(pool) {}

  // One batch of what is older than `days`, which is not 0. A pass begins with cursor 0 and goes on
  // with the last step's. Several coordinators may do this at once.
  Async<RetentionStep> remove_some(Retained what, std::int64_t days, std::int64_t cursor);

 private:
  PgPool& pool_;
};

}  // namespace hone
