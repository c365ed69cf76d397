#include "server/api/token_cache.h"

#include <random>
#include <utility>
#include <variant>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/hash.h"
#include "server/api/caller_watch.h"
#include "server/api/kept_for.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostEntries = 4096;
constexpr std::chrono::milliseconds kSoon{800};
constexpr std::chrono::milliseconds kSooner{200};  // nobody listens to the database: it may be away
constexpr std::chrono::hours kRemembered{24};

// "hone_" and 64 hexadecimal digits: anything else is refused without asking the database.
bool looks_like_token(std::string_view text) {
  static constexpr std::string_view kPrefix = "hone_";
  return text.size() == kPrefix.size() + 64 && text.starts_with(kPrefix) &&
         text.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
}

// In a time that says nothing about how much of it was right.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  unsigned differences = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return differences == 0;
}

}  // namespace

TokenCache::TokenCache(Store& store) : store_(store) {
  std::random_device device;
  seed_ = (std::uint64_t{device()} << 32U) | device();
}

std::uint64_t TokenCache::key_of(std::string_view secret) const {
  return hash128(secret).low ^ seed_;
}

// Null if there is none, or its token has expired.
const TokenCache::Entry* TokenCache::find(std::string_view secret) const {
  const auto found = entries_.find(key_of(secret));
  if (found == entries_.end()) {
    return nullptr;
  }
  const Entry& entry = found->second;
  return !is_over(*entry.caller) && same_secret(secret, entry.secret) ? &entry : nullptr;
}

std::shared_ptr<const Caller> TokenCache::known(std::string_view secret) const {
  const Entry* const entry = find(secret);
  const Notifications& notifications = store_.notifications();
  const bool current = entry != nullptr && entry->mark == notifications.mark(Channel::tokens) &&
                       Clock::now() - entry->looked_up < kept_for(notifications);
  return current ? entry->caller : nullptr;
}

// The store looks a token up by its SHA-256, so the time it takes says nothing about how much of a
// guess was right.
Async<Caller> TokenCache::look_up(std::string secret) {
  if (!looks_like_token(secret)) {
    co_return fail(ErrorCode::unauthenticated, "the token is not known or was revoked");
  }
  Entry entry;
  entry.secret = secret;
  entry.mark = store_.notifications().mark(Channel::tokens);
  entry.looked_up = Clock::now();
  Result<TokenView> found = co_await store_.tokens().authenticate(std::move(secret));
  HONE_CO_TRY(TokenView token, std::move(found));
  Caller caller = caller_of(std::move(token));
  entry.caller = std::make_shared<const Caller>(caller);
  if (entries_.size() >= kMostEntries) {
    entries_.clear();
  }
  const std::uint64_t key = key_of(entry.secret);
  entries_.insert_or_assign(key, std::move(entry));
  co_return caller;
}

Async<Caller> TokenCache::look_up_soon(std::string secret) {
  using boost::asio::experimental::awaitable_operators::operator||;
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                  store_.notifications().listening() ? kSoon : kSooner);
  Result<Caller> answer = fail(ErrorCode::unavailable, "the database does not answer");
  auto either = look_up(secret) || timer.async_wait(boost::asio::use_awaitable);
  auto first = co_await std::move(either);
  if (first.index() == 0) {
    answer = std::get<0>(std::move(first));
  }
  const bool is_away = !answer && (answer.error().code == ErrorCode::unavailable ||
                                   answer.error().code == ErrorCode::timed_out);
  const Entry* const entry = is_away ? find(secret) : nullptr;
  if (entry != nullptr && Clock::now() - entry->looked_up < kRemembered) {
    co_return *entry->caller;
  }
  co_return answer;
}

}  // namespace hone
