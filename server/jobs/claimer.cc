#include "server/jobs/claimer.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

// Names whose kind one statement finds.
constexpr std::size_t kNamesAtOnce = 500;
// Workers whose kind is remembered; beyond, all are forgotten and asked for again.
constexpr std::size_t kMostKnown = 20'000;

// One that waits. Held by whoever waits and by the claimer; `left` says that the former is gone.
struct Waiter {
  Waiter(const asio::any_io_executor& executor, LeaseWait what)
      : wait(std::move(what)), told(executor) {}

  void answer(Result<std::optional<Lease>> with) {
    result.emplace(std::move(with));
    told.cancel();
  }

  LeaseWait wait;
  SteadyClock::time_point came;
  SteadyClock::time_point end;
  asio::steady_timer told;  // at the end of its patience; cancelled by an answer
  std::optional<Result<std::optional<Lease>>> result;
  bool in_claim = false;
  bool looked_at = false;  // by us since it came, or nothing happened since we last looked
  bool leaving = false;    // waits for the claim that is under way, and no longer
  bool left = false;
};
using WaiterPtr = std::shared_ptr<Waiter>;

Claimant claimant_of(const Waiter& waiter) {
  return {waiter.wait.worker, waiter.wait.token};
}

// Those that may be given the same jobs, longest waiting first.
struct Kind {
  std::deque<WaiterPtr> waiters;
  bool may_have_jobs = true;  // something happened since nothing was there for them
  bool drained = false;       // they get nothing
};

}  // namespace

struct Claimer::State : std::enable_shared_from_this<Claimer::State> {
  State(const asio::any_io_executor& where, Store& its_store, ClaimerOptions with)
      : executor(where), store(&its_store), options(std::move(with)), wake(where), pause(where) {
    wake.expires_at(SteadyClock::time_point::max());
  }

  // What wakes the loop, beside an arrival.
  static asio::awaitable<void> watch(std::shared_ptr<State> self, Channel channel);
  static asio::awaitable<void> run(std::shared_ptr<State> self);

  void something_changed() {
    for (auto& [name, kind] : kinds) {
      kind.may_have_jobs = true;
    }
    wake.cancel();
  }
  // All kinds are found out anew.
  void forget_kinds() {
    for (auto& [name, kind] : kinds) {
      arrivals.insert(arrivals.end(), kind.waiters.begin(), kind.waiters.end());
    }
    kinds.clear();
    known.clear();
    wake.cancel();
  }

  asio::awaitable<void> sort_arrivals();
  asio::awaitable<bool> find_kinds(const std::vector<WaiterPtr>& unknown);
  void file(const WaiterPtr& waiter);
  std::optional<std::string> next_kind();
  asio::awaitable<void> claim_for(std::string name);
  asio::awaitable<void> take_answer(WaiterPtr waiter, Claim claim, std::vector<WaiterPtr>& back);
  asio::awaitable<void> hand_back(const WaiterPtr& waiter, const Lease& lease);

  asio::any_io_executor executor;
  Store* store;
  ClaimerOptions options;
  asio::steady_timer wake;         // never expires; cancelled when there is something to do
  asio::steady_timer pause;        // before looking again at what others were claiming
  std::deque<WaiterPtr> arrivals;  // whose kind is not known yet
  std::map<Claimant, WorkerKind> known;
  std::unordered_map<std::string, Kind> kinds;
  std::size_t waiting = 0;
  bool stopped = false;
};

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

// Finds out where each arrival belongs.
asio::awaitable<void> Claimer::State::sort_arrivals() {
  while (!arrivals.empty() && !stopped) {
    std::vector<WaiterPtr> unknown;
    while (!arrivals.empty() && unknown.size() < kNamesAtOnce) {
      WaiterPtr waiter = std::move(arrivals.front());
      arrivals.pop_front();
      if (waiter->left || waiter->result) {
        continue;
      }
      if (known.contains(claimant_of(*waiter))) {
        file(waiter);
      } else {
        unknown.push_back(std::move(waiter));
      }
    }
    if (unknown.empty()) {
      continue;
    }
    const bool found = co_await find_kinds(unknown);
    for (const WaiterPtr& waiter : unknown) {
      if (found && !waiter->left) {
        file(waiter);
      }
    }
  }
}

asio::awaitable<bool> Claimer::State::find_kinds(const std::vector<WaiterPtr>& unknown) {
  std::vector<Claimant> asking;
  asking.reserve(unknown.size());
  for (const WaiterPtr& waiter : unknown) {
    asking.push_back(claimant_of(*waiter));
  }
  std::ranges::sort(asking);
  const auto repeated = std::ranges::unique(asking);
  asking.erase(repeated.begin(), repeated.end());
  const Result<std::vector<WorkerKind>> found = co_await store->workers().kinds(asking);
  if (!found) {
    for (const WaiterPtr& waiter : unknown) {
      waiter->answer(found.error());
    }
    co_return false;
  }
  if (known.size() + asking.size() > kMostKnown) {
    known.clear();
  }
  for (std::size_t i = 0; i < asking.size(); ++i) {
    known.insert_or_assign(asking[i], (*found)[i]);
  }
  co_return true;
}

void Claimer::State::file(const WaiterPtr& waiter) {
  const auto found = known.find(claimant_of(*waiter));
  if (found == known.end()) {
    arrivals.push_back(waiter);  // all were forgotten meanwhile
    return;
  }
  const WorkerKind& its = found->second;
  if (!its.registered) {
    waiter->answer(
        fail(ErrorCode::not_found, "worker '" + waiter->wait.worker + "' is not registered"));
    known.erase(found);
    return;
  }
  const auto [kind, fresh] = kinds.try_emplace(its.drained ? "drained" : its.kind);
  kind->second.drained = its.drained;
  if (its.drained && waiter->wait.patience.count() <= 0) {
    waiter->answer(std::optional<Lease>());
    return;
  }
  kind->second.waiters.push_back(waiter);
  // Somebody without patience is told what is there now, not what was there when we last looked.
  const bool listening = store->notifications().listening();
  if ((waiter->wait.patience.count() <= 0 || !listening) && !waiter->looked_at) {
    kind->second.may_have_jobs = true;
  }
  waiter->looked_at |= its.drained || !kind->second.may_have_jobs;
}

// The kind of whoever has waited longest among those for whom there may be jobs.
std::optional<std::string> Claimer::State::next_kind() {
  std::optional<std::string> next;
  SteadyClock::time_point earliest = SteadyClock::time_point::max();
  for (auto& [name, kind] : kinds) {
    while (!kind.waiters.empty() && (kind.waiters.front()->left || kind.waiters.front()->result)) {
      kind.waiters.pop_front();
    }
    if (!kind.waiters.empty() && !kind.drained && kind.may_have_jobs &&
        kind.waiters.front()->came < earliest) {
      earliest = kind.waiters.front()->came;
      next = name;
    }
  }
  return next;
}

asio::awaitable<void> Claimer::State::claim_for(std::string name) {
  std::vector<WaiterPtr> batch;
  std::vector<Claimant> claimants;
  {
    Kind& kind = kinds.at(name);
    std::int64_t lease_seconds = 0;
    while (!kind.waiters.empty() && batch.size() < kMaxClaimants) {
      const WaiterPtr waiter = kind.waiters.front();
      if (!waiter->left && !waiter->result) {
        if (!batch.empty() && waiter->wait.lease_seconds != lease_seconds) {
          break;
        }
        lease_seconds = waiter->wait.lease_seconds;
        waiter->in_claim = true;
        batch.push_back(waiter);
        claimants.push_back(claimant_of(*waiter));
      }
      kind.waiters.pop_front();
    }
    // What happens from here on is looked at again.
    kind.may_have_jobs = false;
  }
  if (batch.empty()) {
    co_return;
  }
  const std::size_t asked = batch.size();
  const SteadyClock::time_point begun = SteadyClock::now();
  Result<Claims> claimed =
      co_await store->jobs().claim_many(std::move(claimants), batch.front()->wait.lease_seconds);
  if (!claimed) {
    for (const WaiterPtr& waiter : batch) {
      waiter->in_claim = false;
      waiter->answer(claimed.error());
    }
    co_return;
  }
  if (options.took) {
    options.took(std::chrono::duration<double>(SteadyClock::now() - begun).count());
  }
  std::vector<WaiterPtr> back;
  std::size_t given = 0;
  for (std::size_t i = 0; i < asked; ++i) {
    given += claimed->each[i].status == ClaimStatus::leased ? 1 : 0;
    co_await take_answer(batch[i], std::move(claimed->each[i]), back);
  }
  const auto kind = kinds.find(name);
  if (kind == kinds.end()) {
    arrivals.insert(arrivals.end(), back.begin(), back.end());  // all were forgotten meanwhile
    co_return;
  }
  kind->second.waiters.insert(kind->second.waiters.begin(), back.begin(), back.end());
  // All of a full batch were served: there may be more where that came from.
  kind->second.may_have_jobs |= claimed->missed || (given > 0 && back.empty());
  if (claimed->missed && given == 0) {
    pause.expires_after(options.missed_pause);
    co_await pause.async_wait(kToken);
  }
}

asio::awaitable<void> Claimer::State::take_answer(WaiterPtr waiter, Claim claim,
                                                  std::vector<WaiterPtr>& back) {
  waiter->in_claim = false;
  waiter->looked_at = true;
  switch (claim.status) {
    case ClaimStatus::leased:
      if (!claim.lease) {
        waiter->answer(
            fail(ErrorCode::internal, "the job cannot be read; the log of honed has the details"));
      } else if (waiter->left) {
        co_await hand_back(waiter, *claim.lease);
      } else {
        waiter->answer(std::move(claim.lease));
      }
      break;
    case ClaimStatus::nothing:
      if (waiter->leaving || SteadyClock::now() >= waiter->end) {
        waiter->answer(std::optional<Lease>());
      } else {
        back.push_back(std::move(waiter));
      }
      break;
    case ClaimStatus::other_kind:
    case ClaimStatus::drained:
    case ClaimStatus::not_registered:
      known.erase(claimant_of(*waiter));
      if (waiter->leaving) {
        waiter->answer(std::optional<Lease>());
      } else {
        arrivals.push_back(std::move(waiter));
      }
      break;
  }
}

asio::awaitable<void> Claimer::State::hand_back(const WaiterPtr& waiter, const Lease& lease) {
  HandBack back{.reason = "the worker left before it got the lease", .count_attempt = false};
  const Result<EndedLease> ended =
      co_await store->jobs().hand_back(lease.attempt, waiter->wait.token, std::move(back));
  if (!ended) {
    log_warning(waiter->wait.context, "hand_back_failed",
                {{"attempt", lease.attempt}, {"reason", ended.error().message}});
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
asio::awaitable<bool> wait_for_answer(WaiterPtr waiter) {
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
  const auto waiter = std::make_shared<Waiter>(state->executor, std::move(wait));
  if (!waiter->wait.beside.empty()) {
    Result<std::optional<Lease>> claimed = co_await state->store->jobs().claim(
        waiter->wait.worker, waiter->wait.token, waiter->wait.lease_seconds, waiter->wait.beside);
    waiter->result.emplace(std::move(claimed));
  } else {
    // Also when this coroutine is destroyed while it waits.
    struct Stay {
      std::shared_ptr<State> state;
      WaiterPtr waiter;
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
