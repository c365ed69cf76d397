#include "server/jobs/lease_sweeper.h"

#include "common/base/log.h"

namespace hone {
namespace {

namespace asio = boost::asio;

// The same failure every second is said once.
class FailureLog {
 public:
  void note(std::string_view event, const Error& error) {
    if (error.message != last_) {
      log_warning(event, {{"reason", error.message}});
      last_ = error.message;
    }
  }
  void clear() { last_.clear(); }

 private:
  std::string last_;
};

}  // namespace

asio::awaitable<void> sweep_leases(Store& store, Background& background, SweeperOptions options,
                                   std::function<void(const EndedLease&)> ended) {
  FailureLog failures;
  while (!background.stopping()) {
    // Nothing may expire before this was done: the workers are not to blame for our absence.
    const Result<std::int64_t> spared = co_await store.served_time().note(options.lease_seconds);
    if (!spared.has_value()) {
      failures.note("served_time_failed", spared.error());
    } else {
      if (*spared > 0) {
        log_info("leases_spared", {{"leases", *spared}});
      }
      const Result<std::vector<EndedLease>> expired =
          co_await store.jobs(Lane::work).expire_leases();
      if (expired.has_value()) {
        failures.clear();
        for (const EndedLease& lease : *expired) {
          log_warning("lease_expired", {{"attempt", lease.attempt},
                                        {"job", lease.job},
                                        {"worker", lease.worker},
                                        {"job_state", to_string(lease.job_state)}});
          ended(lease);
        }
      } else {
        failures.note("expire_leases_failed", expired.error());
      }
    }
    const Result<QueueSweep> swept = co_await store.jobs().sweep_queue();
    if (!swept.has_value()) {
      failures.note("sweep_queue_failed", swept.error());
    } else if (swept->late > 0) {
      log_warning("deadlines_passed", {{"jobs", swept->late}});
    }
    co_await background.sleep(options.interval);
  }
}

}  // namespace hone
