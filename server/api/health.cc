// GET /healthz, /readyz, /metrics, /openapi.json: what monitoring and tools ask.
#include <algorithm>

#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/sessions/sessions.h"

namespace hone {
namespace {

std::shared_ptr<const Reply> healthy() {
  static const auto kReply = std::make_shared<const Reply>(json_reply(Json{{"status", "ok"}}));
  return kReply;
}

Async<Reply> get_health(Api&, Request&) {
  co_return json_reply(Json{{"status", "ok"}});
}

Async<Reply> get_ready(Api& api, Request&) {
  if (api.draining) {
    co_return fail(ErrorCode::unavailable, "honed is stopping");
  }
  const Result<void> answer = co_await api.store.ping();
  if (!answer.has_value()) {
    // Public, so without what the database said.
    co_return fail(ErrorCode::unavailable, "the database does not answer");
  }
  co_return json_reply(Json{{"status", "ok"}});
}

// What must be asked of the database, which takes its time with a large one: not again before it
// has rested for fifty times as long, and for some seconds anyway.
Async<void> ask_store(Api& api) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kRest{3'000};
  const Clock::time_point begun = Clock::now();
  if (begun < api.gauges_good_until) {
    co_return Result<void>();
  }
  api.gauges_good_until = begun + kRest;  // whoever asks meanwhile gets what is known
  const Result<std::map<JobState, std::int64_t>> jobs =
      co_await api.store.jobs(Lane::reading).count_by_state();
  const Result<OperationGauges> gauges = co_await api.store.operations().gauges();
  const Result<CanaryGauges> canaries = co_await api.store.operations().canary_gauges();
  if (canaries.has_value()) {
    api.metrics.set_canaries(*canaries);
  }
  if (jobs.has_value()) {
    api.metrics.set_jobs(*jobs);
  }
  if (gauges.has_value()) {
    api.metrics.set_operations(*gauges);
  }
  api.metrics.set_database_up(jobs.has_value() && gauges.has_value() && canaries.has_value());
  const Clock::time_point done = Clock::now();
  api.gauges_good_until = std::max(begun + kRest, done + 50 * (done - begun));
  co_return Result<void>();
}

Async<Reply> get_metrics(Api& api, Request& request) {
  const Result<void> asked = co_await ask_store(api);
  HONE_CO_CHECK(asked);
  api.metrics.set_open(api.event_streams, api.streams.size(), api.lease_waits,
                       api.sessions == nullptr ? 0 : api.sessions->table.size());
  if (!api.data_folder.empty()) {
    const Result<DiskSpace> disk = disk_space(api.data_folder);
    api.metrics.set_disk(disk ? *disk : DiskSpace());
  }
  api.metrics.set_process(process_use());
  api.metrics.set_database_connections(api.store.pool_use());
  if (api.http_connections) {
    api.metrics.set_http_connections(api.http_connections());
  }
  if (api.sessions != nullptr) {
    api.metrics.set_session_log(api.sessions->log.queue());
  }
  Reply reply;
  reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  reply.body = api.metrics.text(
      [&request](const std::string& target) { return !rights_on(request.caller, target).empty(); });
  co_return reply;
}

Async<Reply> get_openapi(Api&, Request&) {
  Reply reply;
  reply.body = openapi_document();
  co_return reply;
}

}  // namespace

std::vector<Route> health_routes(Api& api) {
  return {{.path = "/healthz",
           .handler = bind(api, get_health),
           .quick = [](const Request&) { return healthy(); }},
          {.path = "/readyz", .handler = bind(api, get_ready)},
          {.path = "/metrics", .roles = kReaders, .handler = bind(api, get_metrics)},
          {.path = "/openapi.json", .roles = kReaders, .handler = bind(api, get_openapi)}};
}

}  // namespace hone
