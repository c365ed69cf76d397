// The claimer's waits by kind: where each that arrives belongs, and whose turn it is.
#include <algorithm>
#include <utility>

#include "server/jobs/claimer_state.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

// Names whose kind one statement finds.
constexpr std::size_t kNamesAtOnce = 500;
// Workers whose kind is remembered; beyond, all are forgotten and asked for again.
constexpr std::size_t kMostKnown = 20'000;

}  // namespace

// Finds out where each arrival belongs.
asio::awaitable<void> Claimer::State::sort_arrivals() {
  while (!arrivals.empty() && !stopped) {
    std::vector<LeaseWaiterPtr> unknown;
    while (!arrivals.empty() && unknown.size() < kNamesAtOnce) {
      LeaseWaiterPtr waiter = std::move(arrivals.front());
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
    for (const LeaseWaiterPtr& waiter : unknown) {
      if (found && !waiter->left) {
        file(waiter);
      }
    }
  }
}

asio::awaitable<bool> Claimer::State::find_kinds(const std::vector<LeaseWaiterPtr>& unknown) {
  std::vector<Claimant> asking;
  asking.reserve(unknown.size());
  for (const LeaseWaiterPtr& waiter : unknown) {
    asking.push_back(claimant_of(*waiter));
  }
  std::ranges::sort(asking);
  const auto repeated = std::ranges::unique(asking);
  asking.erase(repeated.begin(), repeated.end());
  const Result<std::vector<WorkerKind>> found = co_await store->workers(Lane::work).kinds(asking);
  if (!found) {
    for (const LeaseWaiterPtr& waiter : unknown) {
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

void Claimer::State::file(const LeaseWaiterPtr& waiter) {
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

}  // namespace hone
