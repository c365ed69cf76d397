// What the HTTP server asks of the API beside its handlers.
#include "common/base/log.h"
#include "server/api/api.h"
#include "server/api/refusal_log.h"
#include "server/api/token_cache.h"

namespace hone {
namespace {

// Asked twice a second by each balancer, and answered with 503 by design: what changes there is
// logged where it is answered (canaries.cc).
constexpr std::string_view kCanaryLease = "/v1/canaries/{id}/lease";

void note_request(Metrics& metrics, const RequestRecord& record) {
  metrics.request_finished(record);
  const LogLevel level =
      record.status >= 500 && record.route != kCanaryLease ? LogLevel::warning : LogLevel::debug;
  if (!is_logged(level)) {
    return;
  }
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
  const auto tokens = std::make_shared<TokenCache>(store);
  hooks.authenticate = [tokens](std::string secret) { return tokens->look_up(std::move(secret)); };
  hooks.authenticate_soon = [tokens](std::string secret) {
    return tokens->look_up_soon(std::move(secret));
  };
  hooks.known = [tokens](std::string_view secret) { return tokens->known(secret); };
  const auto refusals = std::make_shared<RefusalLog>();
  hooks.finished = [&metrics, refusals](const RequestRecord& record) {
    note_request(metrics, record);
    refusals->note(record);
  };
  return hooks;
}

}  // namespace hone
