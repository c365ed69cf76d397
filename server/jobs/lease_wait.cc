#include "server/jobs/lease_wait.h"

#include <algorithm>

#include "common/base/log.h"

namespace hone {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A notification may be lost while the listening connection is down, so look again now and then.
constexpr std::chrono::milliseconds kLookAgain{5'000};

}  // namespace

Async<std::optional<Lease>> wait_for_lease(Store& store, Peer& peer, LeaseWait wait) {
  const SteadyClock::time_point end = SteadyClock::now() + wait.patience;
  for (;;) {
    const std::uint64_t mark = store.notifications().mark(Channel::queue);
    const SteadyClock::time_point begun = SteadyClock::now();
    Result<std::optional<Lease>> claimed =
        co_await store.jobs().claim(wait.worker, wait.token, wait.lease_seconds, wait.beside);
    if (!claimed.has_value()) {
      co_return std::move(claimed).error();
    }
    if (wait.claimed) {
      wait.claimed(std::chrono::duration<double>(SteadyClock::now() - begun).count());
    }
    if (claimed->has_value() && peer.gone()) {
      HandBack back{.reason = "the worker left before it got the lease", .count_attempt = false};
      const Result<EndedLease> ended =
          co_await store.jobs().hand_back((*claimed)->attempt, wait.token, std::move(back));
      if (!ended.has_value()) {
        log_warning(wait.context, "hand_back_failed", {{"reason", ended.error().message}});
      }
      co_return std::optional<Lease>();
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now());
    if (claimed->has_value() || left.count() <= 0 || peer.gone()) {
      co_return claimed;
    }
    boost::asio::awaitable<bool> queued =
        store.notifications().wait(Channel::queue, mark, std::min(left, kLookAgain));
    co_await wait_unless_gone(peer, std::move(queued));
  }
}

}  // namespace hone
