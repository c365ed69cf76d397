#include "server/api/token_cache.h"

#include <random>

#include "common/base/hash.h"
#include "server/api/caller_watch.h"
#include "server/api/kept_for.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostEntries = 4096;

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

std::shared_ptr<const Caller> TokenCache::known(std::string_view secret) const {
  const auto found = entries_.find(key_of(secret));
  if (found == entries_.end()) {
    return nullptr;
  }
  const Entry& entry = found->second;
  const Notifications& notifications = store_.notifications();
  const bool current = entry.mark == notifications.mark(Channel::tokens) &&
                       Clock::now() - entry.looked_up < kept_for(notifications);
  return current && !is_over(*entry.caller) && same_secret(secret, entry.secret) ? entry.caller
                                                                                 : nullptr;
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

}  // namespace hone
