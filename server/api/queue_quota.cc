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

QueueQuota::Room::Room(std::shared_ptr<Count> count, std::int64_t jobs)
    : count_(std::move(count)), jobs_(jobs) {
  count_->coming += jobs;
}

QueueQuota::Room::~Room() {
  if (count_) {
    count_->coming -= jobs_;
  }
}

void QueueQuota::Room::filled() {
  if (count_) {
    count_->coming -= jobs_;
    count_->queued += jobs_;
    count_.reset();
  }
}

Async<std::shared_ptr<QueueQuota::Count>> QueueQuota::count(std::string token) {
  const Result<std::int64_t> queued = co_await store_.jobs().count_queued_of(token, most_ + 1);
  HONE_CO_CHECK(queued);
  if (counts_.size() >= kMostTokens) {
    std::erase_if(counts_, [](const auto& entry) { return entry.second->coming == 0; });
  }
  std::shared_ptr<Count>& counted = counts_[std::move(token)];
  if (!counted) {
    counted = std::make_shared<Count>();
  }
  counted->queued = *queued;
  counted->counted = Clock::now();
  co_return counted;
}

Async<QueueQuota::Room> QueueQuota::admit(std::string token, std::string name, std::int64_t jobs) {
  if (most_ == 0) {
    co_return Room();
  }
  const auto known = counts_.find(token);
  std::shared_ptr<Count> now = known == counts_.end() ? nullptr : known->second;
  const auto age = now ? Clock::now() - now->counted : Clock::duration::max();
  const bool over = !now || now->queued + now->coming + jobs > most_;
  if (age > kCountAgain || (over && age > kCountNoSooner)) {
    Result<std::shared_ptr<Count>> counted = co_await count(std::move(token));
    HONE_CO_TRY(now, std::move(counted));
  }
  if (now->queued + now->coming + jobs > most_) {
    co_return fail(ErrorCode::resource_exhausted,
                   "the token \"" + name + "\" has " + std::to_string(now->queued) +
                       " jobs in the queue, and may have " + std::to_string(most_));
  }
  co_return Room(std::move(now), jobs);
}

}  // namespace hone
