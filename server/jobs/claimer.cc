#include "server/jobs/claimer.h"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/jobs/claimer_state.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

}  // namespace

asio::awaitable<void> Claimer::State::watch(std::shared_ptr<State> self, Channel channel) {
  Notifications& notifications = self->store->notifications();
  while (!self->stopped) {
    const std::uint64_t mark = notifications.mark(channel);
    if (channel == Channel::workers || channel == Channel::tokens) {
      self->forget_kinds();
    } else {
      self->something_changed();
    }
    co_await notifications.wait(
        channel, mark,
        channel == Channel::queue ? self->options.look_again : self->options.kind_lasts);
  }
}

asio::awaitable<void> Claimer::State::run(std::shared_ptr<State> self) {
  while (!self->stopped) {
    co_await self->sort_arrivals();
    if (self->stopped) {
      break;
    }
    const std::optional<std::string> kind = self->next_kind();
    if (kind) {
      co_await self->claim_for(*kind);
    } else if (self->arrivals.empty()) {
      self->wake.expires_at(SteadyClock::time_point::max());
      co_await self->wake.async_wait(kToken);
    }
  }
}

Claimer::Claimer(const asio::any_io_executor& executor, Store& store, ClaimerOptions options)
    : state_(std::make_shared<State>(executor, store, options)) {
  asio::co_spawn(executor, State::watch(state_, Channel::queue), asio::detached);
  asio::co_spawn(executor, State::watch(state_, Channel::workers), asio::detached);
  asio::co_spawn(executor, State::watch(state_, Channel::tokens), asio::detached);
  asio::co_spawn(executor, State::run(state_), asio::detached);
}

Claimer::~Claimer() {
  stop();
}

namespace {

// Until the waiter has an answer or its patience is over.
asio::awaitable<bool> wait_for_answer(LeaseWaiterPtr waiter) {
  while (!waiter->result && !waiter->left &&
         (SteadyClock::now() < waiter->end || !waiter->looked_at)) {
    if (SteadyClock::now() < waiter->end) {
      waiter->told.expires_at(waiter->end);
    } else {
      waiter->told.expires_at(SteadyClock::time_point::max());  // the first look is waited for
    }
    co_await waiter->told.async_wait(kToken);
    const auto cancelled = co_await asio::this_coro::cancellation_state;
    if (cancelled.cancelled() != asio::cancellation_type::none) {
      co_return false;
    }
  }
  co_return true;
}

}  // namespace

Async<std::optional<Lease>> Claimer::claim(Peer& peer, LeaseWait wait) {
  const std::shared_ptr<State> state = state_;
  const auto waiter = std::make_shared<LeaseWaiter>(state->executor, std::move(wait));
  if (!waiter->wait.beside.empty()) {
    Result<std::optional<Lease>> claimed =
        co_await state->store->jobs(Lane::work)
            .claim(waiter->wait.worker, waiter->wait.token, waiter->wait.lease_seconds,
                   waiter->wait.beside);
    waiter->result.emplace(std::move(claimed));
  } else {
    // Also when this coroutine is destroyed while it waits.
    struct Stay {
      std::shared_ptr<State> state;
      LeaseWaiterPtr waiter;
      ~Stay() {
        waiter->left = true;
        --state->waiting;
      }
    };
    ++state->waiting;
    const Stay stay{state, waiter};
    waiter->came = SteadyClock::now();
    waiter->end = waiter->came + waiter->wait.patience;
    state->arrivals.push_back(waiter);
    state->wake.cancel();
    asio::awaitable<bool> answered = wait_for_answer(waiter);
    co_await wait_unless_gone(peer, std::move(answered));
    // A claim that is under way may have a lease for us.
    waiter->leaving = true;
    while (waiter->in_claim && !waiter->result) {
      waiter->told.expires_at(SteadyClock::time_point::max());
      co_await waiter->told.async_wait(kToken);
    }
  }
  if (!waiter->result) {
    co_return std::optional<Lease>();
  }
  Result<std::optional<Lease>> result = *std::move(waiter->result);
  if (result && *result && peer.gone()) {
    co_await state->hand_back(waiter, **result);
    co_return std::optional<Lease>();
  }
  co_return result;
}

std::size_t Claimer::waiting() const {
  return state_->waiting;
}

void Claimer::stop() {
  if (!state_->stopped) {
    state_->stopped = true;
    state_->wake.cancel();
    state_->pause.cancel();
  }
}

}  // namespace hone
