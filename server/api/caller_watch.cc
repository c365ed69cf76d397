#include "server/api/caller_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/api/kept_for.h"

namespace hone {
namespace {

bool same_rights(const Caller& a, const Caller& b) {
  if (a.grants == nullptr || b.grants == nullptr) {
    return a.grants == b.grants;
  }
  return *a.grants == *b.grants;
}

}  // namespace

Caller caller_of(TokenView token) {
  Caller caller;
  caller.token_id = std::move(token.id);
  caller.name = std::move(token.name);
  caller.role = token.role;
  caller.expires_ms = token.expires_ms;
  if (token.shown == token.old_generation && token.old_until_ms > 0) {
    caller.expires_ms = caller.expires_ms == 0 ? token.old_until_ms
                                               : std::min(caller.expires_ms, token.old_until_ms);
  }
  caller.generation = std::move(token.shown);
  if (token.grants) {
    caller.grants = std::make_shared<const TargetGrants>(*std::move(token.grants));
  }
  return caller;
}

bool is_over(const Caller& caller) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return caller.expires_ms != 0 &&
         caller.expires_ms <= std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

Async<CallerChange> CallerWatch::look() {
  if (is_over(caller_)) {
    co_return CallerChange::gone;
  }
  const Notifications& notifications = store_.notifications();
  const std::uint64_t mark = notifications.mark(Channel::tokens);
  const auto now_is = std::chrono::steady_clock::now();
  if (mark_ == mark && now_is - looked_up_ < kept_for(notifications)) {
    co_return CallerChange::none;
  }
  Result<TokenView> found = co_await store_.tokens().find(caller_.token_id);
  if (!found && found.error().code == ErrorCode::not_found) {
    co_return CallerChange::gone;
  }
  HONE_CO_TRY(TokenView token, std::move(found));
  const std::string& shown = caller_.generation;
  if (shown.empty() || (shown != token.generation && shown != token.old_generation)) {
    co_return CallerChange::gone;
  }
  token.shown = shown;
  Caller now = caller_of(std::move(token));
  if (is_over(now)) {
    co_return CallerChange::gone;
  }
  mark_ = mark;
  looked_up_ = now_is;
  const bool same = same_rights(caller_, now);
  caller_ = std::move(now);
  co_return same ? CallerChange::none : CallerChange::rights;
}

Async<void> CallerWatch::check() {
  const Result<CallerChange> change = co_await look();
  HONE_CO_CHECK(change);
  switch (*change) {
    case CallerChange::none:
      break;
    case CallerChange::rights:
      co_return fail(ErrorCode::unavailable,
                     "what the token \"" + caller_.name + "\" may do has changed: ask again");
    case CallerChange::gone:
      co_return fail(ErrorCode::unauthenticated,
                     "the token was revoked or is over, or has another secret now");
  }
  co_return Result<void>();
}

}  // namespace hone
