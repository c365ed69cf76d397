#include "server/jobs/retention.h"

#include "common/base/log.h"

namespace hone {

namespace asio = boost::asio;

asio::awaitable<bool> remove_outdated(Store& store, Background& background,
                                      RetentionOptions options, RetentionTimes times,
                                      RetentionReport report) {
  bool all_done = true;
  for (const Retained what : kAllRetained) {
    const std::int64_t days = days_of(options, what);
    std::int64_t removed = 0;
    RetentionStep step;
    step.more = days > 0;
    while (step.more && !background.stopping()) {
      const Result<RetentionStep> done =
          co_await store.retention().remove_some(what, days, step.cursor);
      if (!done.has_value()) {
        log_warning("retention_failed",
                    {{"what", to_string(what)}, {"reason", done.error().message}});
        all_done = false;
        break;
      }
      step = *done;
      if (step.removed > 0) {
        removed += step.removed;
        report(what, step.removed);
      }
      if (step.more) {
        co_await background.sleep(times.pause);
      }
    }
    if (removed > 0) {
      log_info("outdated_removed",
               {{"what", to_string(what)}, {"rows", removed}, {"older_than_days", days}});
    }
  }
  co_return all_done && !background.stopping();
}

asio::awaitable<void> keep_removing(Store& store, Background& background, RetentionOptions options,
                                    RetentionTimes times, RetentionReport report,
                                    std::function<void()> finished) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point states_at = Clock::now();
  while (!background.stopping()) {
    RetentionOptions now = options;
    const bool with_states = Clock::now() >= states_at;
    if (!with_states) {
      now.states_days = 0;
    }
    const bool done = co_await remove_outdated(store, background, now, times, report);
    if (done) {
      if (with_states) {
        states_at = Clock::now() + times.states_interval;
      }
      finished();
    }
    co_await background.sleep(times.interval);
  }
}

}  // namespace hone
