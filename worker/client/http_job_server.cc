#include "worker/client/http_job_server.h"

#include <nlohmann/json.hpp>

#include "common/base/log.h"
#include "common/protocol/attempt_result.h"
#include "worker/run/readable_text.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

std::string lease_path(const std::string& attempt, const char* what) {
  return "/v1/leases/" + percent_encode(attempt) + "/" + what;
}

}  // namespace

RequestOptions HttpJobServer::options_for(const std::string& attempt, const std::stop_token& stop) {
  RequestOptions options;
  options.stop = stop;
  const std::lock_guard lock(mutex_);
  if (const auto trace = traces_.find(attempt); trace != traces_.end()) {
    options.headers.push_back({"traceparent", traceparent_of(next_span(trace->second))});
  }
  return options;
}

// Nothing more is said of a lease that is over.
Result<Json> HttpJobServer::told_end(const std::string& attempt, Result<Json> reply) {
  if (!reply &&
      (reply.error().code == ErrorCode::expired || reply.error().code == ErrorCode::not_found)) {
    forget(attempt);
  }
  return reply;
}

void HttpJobServer::forget(const std::string& attempt) {
  const std::lock_guard lock(mutex_);
  traces_.erase(attempt);
}

Result<void> HttpJobServer::register_worker(const WorkerView& worker, const std::stop_token& stop) {
  RequestOptions options;
  options.stop = stop;
  const Result<Json> reply =
      client_.put("/v1/workers/" + percent_encode(worker.name), to_json(worker), options);
  if (!reply) {
    return reply.error();
  }
  return {};
}

// Short by itself, and wanted when the worker stops: so it takes no stop token.
Result<void> HttpJobServer::leave(const std::string& worker) {
  RequestOptions options;
  options.timeout = 5s;
  options.retry = Retry::never;
  const Result<Json> reply =
      client_.post("/v1/workers/" + percent_encode(worker) + "/leave", Json::object(), options);
  if (!reply) {
    return reply.error();
  }
  return {};
}

Result<std::optional<Lease>> HttpJobServer::lease(const LeaseRequest& request,
                                                  const std::stop_token& stop) {
  RequestOptions options;
  options.stop = stop;
  options.timeout = std::chrono::seconds(request.wait_seconds) + 15s;
  // A reply that was lost holds a lease that will expire; asking again at once is right.
  options.retry = Retry::never;
  KeptConnection connection = take_connection();
  options.connection = &connection;
  HONE_TRY(const Json reply, client_.post("/v1/leases", to_json(request), options));
  if (reply.is_null()) {
    keep_connection(std::move(connection));
    return std::optional<Lease>();
  }
  Result<Lease> parsed = parse_lease(reply);
  if (!parsed) {
    return refuse_lease(reply, parsed.error());
  }
  Lease lease = *std::move(parsed);
  if (const auto trace = parse_traceparent(lease.traceparent)) {
    const std::lock_guard lock(mutex_);
    traces_.insert_or_assign(lease.attempt, *trace);
  }
  return std::optional<Lease>(std::move(lease));
}

KeptConnection HttpJobServer::take_connection() {
  const std::lock_guard lock(mutex_);
  if (connections_.empty()) {
    return {};
  }
  KeptConnection last = std::move(connections_.back());
  connections_.pop_back();
  return last;
}

void HttpJobServer::keep_connection(KeptConnection connection) {
  if (connection.is_open()) {
    const std::lock_guard lock(mutex_);
    connections_.push_back(std::move(connection));
  }
}

// One job that a newer honed describes in words that this release does not know must neither wait
// until its lease expires nor end a worker that understands the others: unavailable then, where it
// could be handed back by its attempt. A honed of another version stays what it is.
Error HttpJobServer::refuse_lease(const Json& reply, const Error& why) {
  const Json* const attempt =
      reply.is_object() && reply.contains("attempt") ? &reply["attempt"] : nullptr;
  if (why.code != ErrorCode::invalid_argument || attempt == nullptr || !attempt->is_string()) {
    return why;
  }
  const std::string id = attempt->get<std::string>();
  const std::string reason = "this worker does not understand the lease: " + why.describe();
  // Short by itself, and wanted also when the worker stops.
  const std::stop_source never;
  const Result<void> done =
      hand_back(id, HandBack{readable_text(reason, kMaxReasonBytes), true}, never.get_token());
  if (!done) {
    log_warning("job_not_handed_back", {{"attempt", id}, {"why", done.error().message}});
  }
  return Error{ErrorCode::unavailable,
               "the lease of attempt " + id + " is not understood: " + why.describe(),
               {}};
}

Result<HeartbeatReply> HttpJobServer::heartbeat(const std::string& attempt,
                                                const std::stop_token& stop) {
  RequestOptions options = options_for(attempt, stop);
  options.timeout = 10s;
  options.retry = Retry::never;  // the next beat comes soon enough
  HONE_TRY(const Json reply, told_end(attempt, client_.post(lease_path(attempt, "heartbeat"),
                                                            Json::object(), options)));
  return parse_heartbeat_reply(reply);
}

Result<void> HttpJobServer::complete(const std::string& attempt, const AttemptResult& result,
                                     const std::stop_token& stop) {
  RequestOptions options = options_for(attempt, stop);
  options.timeout = 60s;
  options.retry = Retry::always;  // the same result twice is counted once
  const Result<Json> reply =
      told_end(attempt, client_.post(lease_path(attempt, "complete"), to_json(result), options));
  if (!reply) {
    return reply.error();
  }
  forget(attempt);
  return {};
}

Result<void> HttpJobServer::hand_back(const std::string& attempt, const HandBack& hand_back,
                                      const std::stop_token& stop) {
  RequestOptions options = options_for(attempt, stop);
  options.timeout = 5s;
  options.retry = Retry::never;  // the lease expires by itself
  const Result<Json> reply = client_.post(lease_path(attempt, "fail"), to_json(hand_back), options);
  if (!reply) {
    return reply.error();
  }
  forget(attempt);
  return {};
}

Result<void> HttpJobServer::download(const std::string& sha256, const std::filesystem::path& path,
                                     std::uint64_t limit, const std::stop_token& stop) {
  return client_.download_file(sha256, path, limit, stop);
}

}  // namespace hone
