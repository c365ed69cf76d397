// What the HTTP server asks of the API beside its handlers.
#include "common/base/log.h"
#include "server/api/api.h"

namespace hone {
namespace {

// "hone_" and 64 hexadecimal digits: anything else is refused without asking the database.
bool looks_like_token(std::string_view text) {
  static constexpr std::string_view kPrefix = "hone_";
  return text.size() == kPrefix.size() + 64 && text.starts_with(kPrefix) &&
         text.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
}

// The store looks a token up by its SHA-256, so the time it takes says nothing about how much of a
// guess was right.
Async<Caller> authenticate(Store& store, std::string secret) {
  if (!looks_like_token(secret)) {
    co_return fail(ErrorCode::unauthenticated, "the token is not known or was revoked");
  }
  Result<TokenView> found = co_await store.tokens().authenticate(std::move(secret));
  HONE_CO_TRY(TokenView token, std::move(found));
  Caller caller;
  caller.token_id = std::move(token.id);
  caller.name = std::move(token.name);
  caller.role = token.role;
  caller.expires_ms = token.expires_ms;
  if (token.grants) {
    caller.grants = std::make_shared<const TargetGrants>(*std::move(token.grants));
  }
  co_return caller;
}

void note_request(Metrics& metrics, const RequestRecord& record) {
  metrics.request_finished(record);
  const LogLevel level = record.status >= 500 ? LogLevel::warning : LogLevel::debug;
  log(level, *record.context, "request",
      {{"method", record.method},
       {"route", record.route},
       {"status", record.status},
       {"seconds", record.seconds},
       {"caller", record.caller}});
}

}  // namespace

HttpHooks make_hooks(Store& store, Metrics& metrics) {
  HttpHooks hooks;
  hooks.authenticate = [&store](std::string secret) {
    return authenticate(store, std::move(secret));
  };
  hooks.finished = [&metrics](const RequestRecord& record) { note_request(metrics, record); };
  return hooks;
}

}  // namespace hone
