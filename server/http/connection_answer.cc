// The answering half of a connection: from a request's header to its reply. First who asks, then
// what is there, then whether this caller may have it, and only then the body.
#include <algorithm>
#include <exception>

#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "server/http/connection.h"
#include "server/http/letter_case.h"
#include "server/http/problem_reply.h"
#include "server/http/request_context.h"
#include "server/http/security.h"

namespace hone {
namespace {

namespace asio = boost::asio;

// The last place of a request where exceptions end: a bug of ours, told without its details.
Error bug(const LogContext& context, std::string_view route, const std::exception& error) {
  log_error(context, "request_failed", {{"route", route}, {"reason", error.what()}});
  return fail(ErrorCode::internal, "an internal error; the log of honed has the details");
}

bool has_body(const RequestParser& parser) {
  return parser.chunked() || parser.content_length().value_or(0) > 0;
}

// Whether a comma-separated list has this entry.
bool lists(std::string_view list, std::string_view entry) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    item.remove_prefix(std::min(item.find_first_not_of(" \t"), item.size()));
    item = item.substr(0, item.find_last_not_of(" \t") + 1);
    if (equal_but_case(item, entry)) {
      return true;
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

Connection::ReplyOf Connection::problem(const Exchange& exchange, const Error& error) const {
  Reply reply = problem_reply(error, exchange.status);
  if (exchange.status == 405) {
    reply.headers.emplace_back("Allow", exchange.match.allowed);
  }
  if (reply.status == 426) {
    reply.headers.emplace_back("Upgrade", "websocket");
    reply.headers.emplace_back("Connection", "Upgrade");  // beside the one that says how it ends
    reply.headers.emplace_back("Sec-WebSocket-Version", "13");
  }
  return std::make_shared<Reply>(std::move(reply));
}

// The reply, if nothing has to be waited for; else null, and `exchange` says how far this came.
Connection::ReplyOf Connection::answer_at_once(Exchange& exchange) {
  try {
    const Result<void> looked = look(exchange);
    if (!looked) {
      return problem(exchange, looked.error());
    }
    const Result<bool> identified = identify_at_once(exchange);
    if (!identified) {
      return problem(exchange, identified.error());
    }
    if (!*identified) {
      return nullptr;
    }
    const Result<void> admitted = admit(exchange);
    if (!admitted) {
      return problem(exchange, admitted.error());
    }
    const Route& route = *exchange.match.route;
    return route.quick && parser_->is_done() ? route.quick(exchange.request) : nullptr;
  } catch (const std::exception& error) {
    return problem(exchange, bug(exchange.request.context, exchange.record.route, error));
  }
}

asio::awaitable<Connection::ReplyOf> Connection::answer(Exchange& exchange) {
  Result<Reply> reply = fail(ErrorCode::internal, "no reply");
  try {
    reply = co_await answer_in_time(exchange);
  } catch (const std::exception& error) {
    reply = bug(exchange.request.context, exchange.record.route, error);
  }
  if (!reply) {
    co_return problem(exchange, reply.error());
  }
  co_return std::make_shared<Reply>(*std::move(reply));
}

asio::awaitable<Result<Reply>> Connection::answer_in_time(Exchange& exchange) {
  Request& request = exchange.request;
  if (!exchange.identified) {
    HONE_CO_TRY(const std::string_view secret, bearer_token(request.header("authorization")));
    shared_->line.leave(*this);  // it may well be a good one
    Result<Caller> caller = co_await shared_->hooks.authenticate(std::string(secret));
    if (!caller && anonymous_) {
      shared_->line.enter(*this);
    }
    HONE_CO_TRY(Caller known, std::move(caller));
    HONE_CO_CHECK(take_caller(exchange, std::move(known)));
  }
  if (!exchange.admitted) {
    HONE_CO_CHECK(admit(exchange));
  }
  if (!request.caller.token_id.empty()) {
    exchange.hold = shared_->limits.hold_request(request.caller.token_id);
    if (!exchange.hold) {
      co_return fail(ErrorCode::resource_exhausted,
                     "the token \"" + request.caller.name + "\" has " +
                         std::to_string(shared_->limits.options().requests) +
                         " requests under way already");
    }
  }
  Result<void> prepared = co_await prepare_body(exchange);
  HONE_CO_CHECK(std::move(prepared));
  Result<Reply> reply = co_await exchange.match.route->handler(request);
  if (!reply && body_status_ != 0) {
    exchange.status = body_status_;
  }
  co_return reply;
}

// What the header says, and which route that is.
Result<void> Connection::look(Exchange& exchange) {
  Request& request = exchange.request;
  request.headers.swap(head_.fields);
  identify(request);
  const auto method = parse_http_method(head_.method);
  exchange.record.method = method ? to_string(*method) : "other";
  request.method = method.value_or(HttpMethod::get);
  if (head_.version != 11 && head_.version != 10) {
    return fail(ErrorCode::invalid_argument, "not an HTTP/1.1 request");
  }
  HONE_CHECK(check_host(request.header("host"), shared_->options.allowed_hosts));
  HONE_CHECK(check_origin(request.header("origin"), shared_->options.allowed_hosts));
  HONE_TRY(exchange.target, parse_request_target(head_.target));
  if (method) {
    exchange.match = shared_->router->find(*method, exchange.target.segments);
  } else {
    exchange.match.allowed = shared_->router->allowed_methods(exchange.target.segments);
  }
  return {};
}

// Who asks comes before what is there: without a token nobody learns which paths exist. False when
// that has to be waited for.
Result<bool> Connection::identify_at_once(Exchange& exchange) {
  if (exchange.match.route != nullptr && !exchange.match.route->roles) {
    exchange.identified = true;
    return true;
  }
  HONE_TRY(const std::string_view secret, bearer_token(exchange.request.header("authorization")));
  const std::shared_ptr<const Caller> caller =
      shared_->hooks.known ? shared_->hooks.known(secret) : nullptr;
  if (caller) {
    HONE_CHECK(take_caller(exchange, *caller));
  }
  return caller != nullptr;
}

Result<void> Connection::take_caller(Exchange& exchange, Caller caller) {
  exchange.request.caller = std::move(caller);
  exchange.identified = true;
  if (anonymous_) {
    anonymous_ = false;
    shared_->no_longer_anonymous(address_);
    shared_->line.leave(*this);
  }
  const Caller& known = exchange.request.caller;
  return known.token_id == token_id_ ? Result<void>() : count_for(known);
}

// A token that has all its connections gets this one for the one that it has not used for longest.
Result<void> Connection::count_for(const Caller& caller) {
  const std::string& token = caller.token_id;
  place_ = shared_->limits.hold_connection(token);
  if (!place_ && shared_->line.end_first_of(token)) {
    place_ = shared_->limits.hold_connection(token);
  }
  if (!place_) {
    token_id_.clear();
    ends_ = true;
    return fail(ErrorCode::resource_exhausted,
                "the token \"" + caller.name + "\" has requests under way on " +
                    std::to_string(shared_->limits.options().connections) + " connections already");
  }
  token_id_ = token;
  return {};
}

Result<void> Connection::admit(Exchange& exchange) {
  Request& request = exchange.request;
  const Caller& caller = request.caller;
  if (exchange.match.route == nullptr && exchange.match.allowed.empty()) {
    return fail(ErrorCode::not_found, "there is nothing at this path");
  }
  if (exchange.match.route == nullptr) {
    exchange.status = 405;
    return fail(ErrorCode::unsupported,
                "this path takes " + exchange.match.allowed + ", not " + std::string(head_.method));
  }
  const Route& route = *exchange.match.route;
  exchange.record.route = route.path;
  if (route.roles) {
    if (last_place_ && caller.role != Role::admin) {
      return fail(ErrorCode::unavailable, "too many connections");
    }
    if (!shared_->limits.spend(caller.token_id, exchange.started)) {
      return fail(ErrorCode::resource_exhausted,
                  "the token \"" + caller.name + "\" has asked more than " +
                      std::to_string(std::lround(shared_->limits.options().requests_per_second)) +
                      " times in a second");
    }
    if (!route.roles->contains(caller.role)) {
      return fail(ErrorCode::permission_denied, "the token \"" + caller.name + "\" has the role " +
                                                    std::string(to_string(caller.role)) +
                                                    ", which may not do this");
    }
    if (shared_->options.require_worker_certificate && caller.role == Role::worker && !certified_) {
      return fail(ErrorCode::permission_denied,
                  "a worker must show a client certificate here: start it with --cert and --key");
    }
  }
  request.path_values = std::move(exchange.match.path_values);
  request.query = std::move(exchange.target.query);
  HONE_CHECK(check_query(route, request));
  HONE_CHECK(check_body(exchange));
  exchange.admitted = true;
  return {};
}

Result<void> Connection::check_query(const Route& route, const Request& request) const {
  if (route.any_query || request.query.empty()) {
    return {};
  }
  std::vector<FieldProblem> problems;
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(route.query, name) == route.query.end()) {
      std::string known;
      for (const std::string& parameter : route.query) {
        known += (known.empty() ? "; known are: " : ", ") + parameter;
      }
      problems.push_back({"/" + name, "unknown query parameter" + known});
    }
  }
  if (problems.empty()) {
    return {};
  }
  return Error{ErrorCode::invalid_argument, "bad query", std::move(problems)};
}

Result<void> Connection::check_body(Exchange& exchange) {
  const Route& route = *exchange.match.route;
  const Request& request = exchange.request;
  if (route.body == BodyKind::messages) {
    HONE_CHECK(check_upgrade(exchange));
  }
  if (!has_body(*parser_)) {
    if (route.body == BodyKind::json) {
      return Error{
          ErrorCode::invalid_argument, "the request needs a JSON body", {{"", "is missing"}}};
    }
    return {};
  }
  if (route.body == BodyKind::none || route.body == BodyKind::messages) {
    return fail(ErrorCode::invalid_argument, "this request takes no body");
  }
  HONE_CHECK(check_content_type(request.header("content-type"), route.body));
  if (!request.header("content-encoding").empty()) {
    return fail(ErrorCode::unsupported, "a Content-Encoding is not offered");
  }
  const auto length = parser_->content_length();
  if (length && *length > route.body_limit) {
    return fail(ErrorCode::too_large, "the body has " + std::to_string(*length) +
                                          " bytes, the limit here is " +
                                          std::to_string(route.body_limit));
  }
  return {};
}

Result<void> Connection::check_upgrade(Exchange& exchange) const {
  const Request& request = exchange.request;
  const bool asked = request.method == HttpMethod::get && head_.version == 11 &&
                     lists(request.header("connection"), "upgrade") &&
                     lists(request.header("upgrade"), "websocket") &&
                     request.header("sec-websocket-key").size() == 24 &&  // 16 bytes in base64
                     request.header("sec-websocket-version") == "13";
  if (!asked) {
    exchange.status = 426;
    return fail(
        ErrorCode::unsupported,
        "this path is a WebSocket's: the request must have the headers Connection: Upgrade, "
        "Upgrade: websocket, Sec-WebSocket-Key and Sec-WebSocket-Version: 13");
  }
  if (buffer_.size() > 0) {
    return fail(ErrorCode::invalid_argument, "messages came before the WebSocket was accepted");
  }
  return {};
}

}  // namespace hone
