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
  bool extended = false;
  while (!background.stopping()) {
    if (!extended) {
      // Nothing may expire before this was done: the workers are not to blame for our absence.
      const Result<std::int64_t> leases =
          co_await store.jobs().extend_leases(options.lease_seconds);
      extended = leases.has_value();
      if (!extended) {
        failures.note("extend_leases_failed", leases.error());
      }
    }
    if (extended) {
      const Result<std::vector<EndedLease>> expired = co_await store.jobs().expire_leases();
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
    co_await background.sleep(options.interval);
  }
}

}  // namespace hone
