#include "server/api/queue_quota.h"

#include <utility>

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kCountAgain{10};
// Counting is not free with a long queue, and who is refused asks again at once.
constexpr std::chrono::seconds kCountNoSooner{1};
constexpr std::size_t kMostTokens = 1024;

}  // namespace

Async<void> QueueQuota::count(std::string token) {
  const Result<std::int64_t> queued = co_await store_.jobs().count_queued_of(token, most_ + 1);
  HONE_CO_CHECK(queued);
  if (counts_.size() >= kMostTokens) {
    counts_.clear();
  }
  counts_.insert_or_assign(std::move(token), Count{*queued, Clock::now()});
  co_return Result<void>();
}

Async<void> QueueQuota::admit(std::string token, std::string name, std::int64_t jobs) {
  if (most_ == 0) {
    co_return Result<void>();
  }
  const auto known = counts_.find(token);
  const auto age =
      known == counts_.end() ? Clock::duration::max() : Clock::now() - known->second.counted;
  const bool over = known == counts_.end() || known->second.queued + jobs > most_;
  if (age > kCountAgain || (over && age > kCountNoSooner)) {
    const Result<void> counted = co_await count(token);
    HONE_CO_CHECK(counted);
  }
  Count& now = counts_[token];
  if (now.queued + jobs > most_) {
    co_return fail(ErrorCode::resource_exhausted,
                   "the token \"" + name + "\" has " + std::to_string(now.queued) +
                       " jobs in the queue, and may have " + std::to_string(most_));
  }
  now.queued += jobs;
  co_return Result<void>();
}

}  // namespace hone
