// A claim of the claimer: one statement for many, and what each of them is told.
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "server/jobs/claimer_state.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

}  // namespace

asio::awaitable<void> Claimer::State::claim_for(std::string name) {
  std::vector<LeaseWaiterPtr> batch;
  std::vector<Claimant> claimants;
  {
    WaitingKind& kind = kinds.at(name);
    std::int64_t lease_seconds = 0;
    while (!kind.waiters.empty() && batch.size() < kMaxClaimants) {
      const LeaseWaiterPtr waiter = kind.waiters.front();
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
  Result<Claims> claimed = co_await store->jobs(Lane::work)
                               .claim_many(std::move(claimants), batch.front()->wait.lease_seconds);
  if (!claimed) {
    for (const LeaseWaiterPtr& waiter : batch) {
      waiter->in_claim = false;
      waiter->answer(claimed.error());
    }
    co_return;
  }
  if (options.took) {
    options.took(std::chrono::duration<double>(SteadyClock::now() - begun).count());
  }
  std::vector<LeaseWaiterPtr> back;
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

asio::awaitable<void> Claimer::State::take_answer(LeaseWaiterPtr waiter, Claim claim,
                                                  std::vector<LeaseWaiterPtr>& back) {
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

asio::awaitable<void> Claimer::State::hand_back(const LeaseWaiterPtr& waiter, const Lease& lease) {
  HandBack back{.reason = "the worker left before it got the lease", .count_attempt = false};
  const Result<EndedLease> ended =
      co_await store->jobs(Lane::work)
          .hand_back(lease.attempt, waiter->wait.token, std::move(back));
  if (!ended) {
    log_warning(waiter->wait.context, "hand_back_failed",
                {{"attempt", lease.attempt}, {"reason", ended.error().message}});
  }
}

}  // namespace hone
