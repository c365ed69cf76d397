// /v1/leases: workers claim jobs, keep their leases alive, and report.
#include "common/base/log.h"
#include "common/protocol/lease.h"
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"

namespace hone {
namespace {

Async<Reply> claim_lease(Api& api, Request& request) {
  Result<ParsedBody<LeaseRequest>> parsed =
      co_await parse_body<LeaseRequest>(request, parse_lease_request);
  HONE_CO_TRY(ParsedBody<LeaseRequest> body, std::move(parsed));
  if (api.draining) {
    co_return fail(ErrorCode::unavailable, "honed is stopping and gives no lease any more");
  }
  // Who holds a lease has something to do meanwhile.
  const bool waits = body.value.beside.empty();
  LeaseWait wait{.worker = body.value.worker,
                 .token = request.caller.token_id,
                 .lease_seconds = api.options.lease_seconds,
                 .patience = std::chrono::seconds(waits ? body.value.wait_seconds : 0),
                 .beside = body.value.beside,
                 .context = request.context};
  const Counted counted(api.lease_waits);
  Result<std::optional<Lease>> claimed =
      co_await api.claimer->claim(*request.peer, std::move(wait));
  HONE_CO_TRY(const std::optional<Lease> lease, std::move(claimed));
  if (!lease) {
    co_return no_content();
  }
  api.metrics.lease_granted();
  log_info(request.context, "lease_granted",
           {{"attempt", lease->attempt},
            {"job", lease->job},
            {"worker", body.value.worker},
            {"job_traceparent", lease->traceparent}});
  co_return json_reply(to_json(*lease));
}

Async<Reply> heartbeat(Api& api, Request& request) {
  RequestValues values(request);
  std::string attempt = values.path_uuid("attempt");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<HeartbeatReply> extended =
      co_await api.store.jobs(Lane::work)
          .heartbeat(std::move(attempt), request.caller.token_id, api.options.lease_seconds);
  HONE_CO_TRY(const HeartbeatReply reply, std::move(extended));
  co_return json_reply(to_json(reply));
}

Result<AttemptResult> parse_result(const Json& document) {
  return parse_attempt_result(document, UnknownKeys::ignore);
}

Async<Reply> complete(Api& api, Request& request) {
  RequestValues values(request);
  const std::string attempt = values.path_uuid("attempt");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ParsedBody<AttemptResult>> parsed =
      co_await parse_body<AttemptResult>(request, parse_result);
  HONE_CO_TRY(ParsedBody<AttemptResult> body, std::move(parsed));
  if (!body.value.reused_attempt.empty() && !is_canonical_uuid(body.value.reused_attempt)) {
    co_return Error{ErrorCode::invalid_argument,
                    "bad result",
                    {{"/reused_attempt", "must be an attempt's id"}}};
  }
  const Outcome outcome = body.value.outcome;
  const std::size_t rows = 1 + body.value.samples.size() + body.value.decisions.size();
  Completion completion{attempt, request.caller.token_id, std::move(body.value),
                        std::move(body.sha256)};
  const Result<void> counted = co_await api.completions->ask(std::move(completion), rows);
  HONE_CO_CHECK(counted);
  api.metrics.lease_ended("completed");
  api.metrics.attempt_counted(outcome);
  log_info(request.context, "attempt_completed",
           {{"attempt", attempt}, {"outcome", to_string(outcome)}});
  co_return json_reply(Json{{"counted", true}});
}

Async<Reply> hand_back(Api& api, Request& request) {
  RequestValues values(request);
  const std::string attempt = values.path_uuid("attempt");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ParsedBody<HandBack>> parsed = co_await parse_body<HandBack>(request, parse_hand_back);
  HONE_CO_TRY(ParsedBody<HandBack> body, std::move(parsed));
  Result<EndedLease> ended =
      co_await api.store.jobs(Lane::work)
          .hand_back(attempt, request.caller.token_id, std::move(body.value));
  HONE_CO_TRY(const EndedLease lease, std::move(ended));
  api.metrics.lease_ended("handed_back");
  log_info(request.context, "lease_handed_back",
           {{"attempt", attempt}, {"job", lease.job}, {"reason", lease.reason}});
  co_return json_reply(Json{{"job", lease.job}, {"job_state", to_string(lease.job_state)}});
}

}  // namespace

std::vector<Route> lease_routes(Api& api) {
  const Guard held{Subject::attempt, "attempt", TargetRight::read};
  return {{.method = HttpMethod::post,
           .path = "/v1/leases",
           .roles = kWorkers,
           .body = BodyKind::json,
           .handler = bind(api, claim_lease)},
          {.method = HttpMethod::post,
           .path = "/v1/leases/{attempt}/heartbeat",
           .roles = kWorkers,
           .body = BodyKind::optional_json,
           .handler = bind(api, held, heartbeat)},
          {.method = HttpMethod::post,
           .path = "/v1/leases/{attempt}/complete",
           .roles = kWorkers,
           .body = BodyKind::json,
           .body_limit = kLargeBodyLimit,
           .handler = bind(api, held, complete)},
          {.method = HttpMethod::post,
           .path = "/v1/leases/{attempt}/fail",
           .roles = kWorkers,
           .body = BodyKind::json,
           .handler = bind(api, held, hand_back)}};
}

}  // namespace hone
