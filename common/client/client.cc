#include "common/client/client.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>

#include <nlohmann/json.hpp>

#include "common/base/random.h"
#include "common/client/connection.h"
#include "common/client/event_stream.h"
#include "common/client/retry_pause.h"
#include "common/net/tls.h"
#include "common/protocol/problem.h"

namespace hone {
namespace {

// honed sends a comment every 15 s: three of them missed means that the connection is dead.
constexpr std::chrono::milliseconds kEventSilence{45'000};
// Between two pieces of a long body: a page of it is one statement of at most 30 s.
constexpr std::chrono::milliseconds kStreamSilence{60'000};
constexpr std::chrono::milliseconds kLongestPause{5'000};

bool is_success(int status) {
  return (status >= 200 && status < 300) || status == 304;
}

bool has_header(const std::vector<HttpHeader>& headers, std::string_view lower_case_name) {
  return std::ranges::any_of(headers, [&](const HttpHeader& header) {
    return std::ranges::equal(header.name, lower_case_name, [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
    });
  });
}

bool may_repeat(std::string_view method, const RequestOptions& options) {
  switch (options.retry) {
    case Retry::always:
      return true;
    case Retry::never:
      return false;
    case Retry::by_method:
      return method != "POST" || has_header(options.headers, "idempotency-key");
  }
  return false;
}

// Of an exchange that was no success. A refused token is told with where it is from.
Error error_of(const Exchange& exchange, const std::string& token_note) {
  if (!exchange.response.has_value()) {
    return exchange.response.error();
  }
  Error error = error_from_problem(exchange.response->status, exchange.response->body);
  if (error.code == ErrorCode::unauthenticated && !token_note.empty()) {
    error.message += " (" + token_note + ")";
  }
  return error;
}

Result<Json> body_as_json(Result<Response> response) {
  if (!response.has_value()) {
    return std::move(response).error();
  }
  if (response->body.empty()) {
    return Result<Json>(boost::system::in_place_value, Json());
  }
  Result<Json> document = parse_json(response->body, {.bytes = kMaxReplyBytes});
  if (!document.has_value()) {
    return document.error().within("the server's answer");
  }
  return document;
}

}  // namespace

bool pause_between_tries(int tries, std::chrono::milliseconds first_pause,
                         std::string_view retry_after, const std::stop_token& stop) {
  const auto doubled = first_pause * (std::int64_t{1} << std::clamp(tries, 0, 16));
  std::chrono::milliseconds pause = std::min(doubled, kLongestPause);
  std::int64_t seconds = 0;
  const auto [end, error] =
      std::from_chars(retry_after.data(), retry_after.data() + retry_after.size(), seconds);
  if (error == std::errc() && seconds > 0) {
    pause = std::clamp(
        std::chrono::milliseconds(std::chrono::seconds(std::min<std::int64_t>(seconds, 60))), pause,
        kLongestPause);
  }
  // Clients that lost the server together should not come back together.
  Random random(
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  pause +=
      std::chrono::milliseconds(random.below(static_cast<std::uint64_t>(pause.count() / 2 + 1)));

  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, pause, [] { return false; });
  return !stop.stop_requested();
}

std::string_view Response::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &HttpHeader::name);
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

Client::Client(ClientOptions options, Endpoints endpoints, TlsContexts tls)
    : options_(std::move(options)), endpoints_(std::move(endpoints)), tls_(std::move(tls)) {}

Result<Client> Client::create(ClientOptions options) {
  HONE_TRY(Endpoints endpoints, Endpoints::parse(options.url));
  TlsContexts tls(endpoints.size());
  for (std::size_t place = 0; place < endpoints.size(); ++place) {
    if (endpoints.at(place).secure) {
      HONE_TRY(tls[place],
               make_client_tls({options.tls.ca, options.tls.certificate, options.tls.key}));
    }
  }
  return Client(std::move(options), std::move(endpoints), std::move(tls));
}

std::vector<HttpHeader> Client::headers_for(std::vector<HttpHeader> headers) const {
  if (!options_.token.empty() && !has_header(headers, "authorization")) {
    headers.push_back({"Authorization", "Bearer " + options_.token});
  }
  if (!has_header(headers, "user-agent")) {
    headers.push_back({"User-Agent", "hone"});
  }
  if (!options_.traceparent.empty() && !has_header(headers, "traceparent")) {
    headers.push_back({"traceparent", options_.traceparent});
  }
  return headers;
}

Result<Response> Client::send(const WireRequest& request, const BodySink& sink, bool repeatable,
                              std::chrono::milliseconds limit, const std::stop_token& stop,
                              KeptConnection* connection) const {
  int rounds = 0;  // in which every endpoint failed
  for (std::size_t tried = 1;; ++tried) {
    const std::size_t place = endpoints_.current();
    const Url& url = endpoints_.at(place);
    Exchange exchange =
        perform({url, tls_.at(place)}, request, sink, limit, TimeLimit::whole, stop, connection);
    if (exchange.response.has_value() && is_success(exchange.response->status)) {
      return exchange.response;
    }
    const Error error = error_of(exchange, options_.token_note);
    if (is_lost(error)) {
      endpoints_.leave(place);
    }
    // What was refused for being too much was not done.
    const bool too_much = error.code == ErrorCode::resource_exhausted;
    // Who took too long is not asked again, but another may be.
    const bool is_round = too_much || tried % endpoints_.size() == 0;
    const bool helps =
        is_round ? (too_much || error.code == ErrorCode::unavailable) && rounds < options_.retries
                 : is_lost(error);
    if (!helps || !(repeatable || too_much || !exchange.reached_server)) {
      return error;
    }
    if (!is_round) {
      continue;
    }
    const std::string retry_after(
        exchange.response.has_value() ? exchange.response->header("retry-after") : "");
    if (!pause_between_tries(rounds++, options_.first_pause, retry_after, stop)) {
      return fail(ErrorCode::cancelled, "stopped while waiting for " + url.authority());
    }
  }
}

Result<Response> Client::exchange(std::string_view method, std::string_view path,
                                  std::string_view body, const RequestOptions& options) const {
  WireRequest request;
  request.method = method;
  request.path = path;
  request.headers = headers_for(options.headers);
  request.body = body;
  request.most_reply_bytes = options.most_reply_bytes.value_or(kMaxReplyBytes);
  if (!body.empty() && !has_header(request.headers, "content-type")) {
    request.headers.push_back({"Content-Type", "application/json"});
  }
  return send(request, {}, may_repeat(method, options), options.timeout.value_or(options_.timeout),
              options.stop, options.connection);
}

Result<Json> Client::get(std::string_view path, const RequestOptions& options) const {
  return body_as_json(exchange("GET", path, "", options));
}

Result<Json> Client::post(std::string_view path, const Json& body,
                          const RequestOptions& options) const {
  return body_as_json(exchange("POST", path, dump_json(body), options));
}

Result<Json> Client::put(std::string_view path, const Json& body,
                         const RequestOptions& options) const {
  return body_as_json(exchange("PUT", path, dump_json(body), options));
}

Result<Json> Client::remove(std::string_view path, const RequestOptions& options) const {
  return body_as_json(exchange("DELETE", path, "", options));
}

Result<void> Client::stream(std::string_view path, const BodySink& receive,
                            const std::stop_token& stop) const {
  WireRequest request;
  request.method = "GET";
  request.path = path;
  request.headers = headers_for({});
  const std::size_t place = endpoints_.current();
  const Exchange exchange = perform({endpoints_.at(place), tls_.at(place)}, request, receive,
                                    kStreamSilence, TimeLimit::idle, stop);
  if (exchange.response.has_value() && is_success(exchange.response->status)) {
    return {};
  }
  Error error = error_of(exchange, options_.token_note);
  if (is_lost(error)) {
    endpoints_.leave(place);
  }
  return error;
}

Result<void> Client::events(std::string_view path,
                            const std::function<bool(const ServerEvent&)>& receive,
                            const std::stop_token& stop) const {
  EventParser parser;
  std::size_t failures = 0;  // since the last event
  const BodySink sink = [&](std::string_view piece) {
    return parser.feed(piece, [&](const ServerEvent& event) {
      failures = 0;
      return receive(event);
    });
  };
  for (;;) {
    WireRequest request;
    request.method = "GET";
    request.path = path;
    request.headers = headers_for({{"Accept", "text/event-stream"}});
    if (!parser.last_id().empty()) {
      request.headers.push_back({"Last-Event-ID", parser.last_id()});
    }
    const std::size_t place = endpoints_.current();
    const Url& url = endpoints_.at(place);
    const Exchange exchange =
        perform({url, tls_.at(place)}, request, sink, kEventSilence, TimeLimit::idle, stop);
    if (exchange.response.has_value() && is_success(exchange.response->status)) {
      return {};
    }
    const Error error = error_of(exchange, options_.token_note);
    if (!may_pass(error)) {
      return error;
    }
    endpoints_.leave(place);
    ++failures;
    if (failures % endpoints_.size() == 0) {
      const int rounds = static_cast<int>(failures / endpoints_.size());
      if (rounds > options_.retries) {
        return error;
      }
      if (!pause_between_tries(rounds - 1, options_.first_pause, "", stop)) {
        return fail(ErrorCode::cancelled, "stopped while waiting for " + url.authority());
      }
    }
    parser.reset();
  }
}

std::string percent_encode(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      encoded.push_back(c);
    } else {
      encoded.push_back('%');
      encoded.push_back(kDigits[byte >> 4U]);
      encoded.push_back(kDigits[byte & 15U]);
    }
  }
  return encoded;
}

}  // namespace hone
