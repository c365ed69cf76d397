#include "server/http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "common/base/log.h"
#include "server/http/problem_reply.h"
#include "server/http/request_context.h"
#include "server/http/security.h"

namespace hone {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorOf = boost::system::error_code;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kBodyPieceBytes = 65536;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// Whether the bytes were no HTTP, as opposed to a connection that ended.
bool is_syntax_error(const ErrorOf& error) {
  return error.category() == http::make_error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, std::shared_ptr<ConnectionShared> shared)
    : socket_(std::move(socket)),
      shared_(std::move(shared)),
      deadline_(socket_.get_executor()),
      wake_(socket_.get_executor()) {
  wake_.expires_at(asio::steady_timer::time_point::max());
}

asio::awaitable<void> Connection::serve(std::shared_ptr<Connection> self) {
  try {
    co_await self->run();
  } catch (const std::exception& error) {
    log_error("connection_failed", {{"reason", error.what()}});
  }
  self->abort();
}

asio::awaitable<void> Connection::run() {
  while (!shared_->stopping) {
    if (!co_await wait_for_request()) {
      co_return;
    }
    const KeepAlive keep_alive = co_await serve_request();
    if (keep_alive == KeepAlive::no) {
      co_return;
    }
  }
}

asio::awaitable<void> Connection::turn_away(std::shared_ptr<Connection> self) {
  Reply reply = problem_reply(fail(ErrorCode::unavailable, "too many connections"));
  co_await self->write_reply(reply, false, KeepAlive::no);
  co_await self->linger();
  self->abort();
}

asio::awaitable<bool> Connection::wait_for_request() {
  if (buffer_.size() > 0) {
    co_return true;  // the client sent its next request already
  }
  idle_ = true;
  arm(shared_->options.limits.idle);
  auto [error] = co_await socket_.async_wait(asio::ip::tcp::socket::wait_read, kToken);
  idle_ = false;
  co_return !error && !shared_->stopping;
}

asio::awaitable<Connection::KeepAlive> Connection::serve_request() {
  parser_.emplace();
  parser_->header_limit(shared_->options.limits.header_bytes);
  parser_->body_limit(boost::none);  // the route decides, once the header is known
  error_status_ = 0;
  allowed_.clear();
  ambiguous_ = false;

  arm(shared_->options.limits.header);
  auto [error, bytes] = co_await http::async_read_header(socket_, buffer_, *parser_, kToken);
  disarm();
  const auto started = std::chrono::steady_clock::now();
  Request request;
  request.peer = this;
  RequestRecord record;
  Result<Reply> reply = fail(ErrorCode::invalid_argument, "not an HTTP/1.1 request");
  if (!error) {
    reply = co_await guarded_answer(request, record);
  } else if (deadline_passed_) {
    reply = fail(ErrorCode::timed_out, "the request's header did not arrive in time");
    error_status_ = 408;
  } else if (error == http::error::header_limit) {
    reply = fail(ErrorCode::too_large, "the request's header is longer than " +
                                           std::to_string(shared_->options.limits.header_bytes) +
                                           " bytes");
    error_status_ = 431;
  } else if (!is_syntax_error(error)) {
    co_return KeepAlive::no;  // the client left: nobody is there to tell
  } else {
    reply = fail(ErrorCode::invalid_argument, "not an HTTP/1.1 request: " + error.message());
  }

  const bool failed = !reply.has_value();
  Reply final_reply = failed ? problem_reply(reply.error(), error_status_) : *std::move(reply);
  if (!allowed_.empty()) {
    final_reply.headers.emplace_back("Allow", allowed_);
  }
  if (final_reply.status == 426) {
    final_reply.headers.emplace_back("Upgrade", "websocket");
    final_reply.headers.emplace_back("Connection",
                                     "Upgrade");  // beside the one that says how it ends
    final_reply.headers.emplace_back("Sec-WebSocket-Version", "13");
  }
  if (request.context.request.empty()) {
    identify(request);  // its header could not be read
  }
  context_ = request.context;
  final_reply.headers.emplace_back("X-Request-Id", request.context.request);
  if (final_reply.messages) {
    final_reply.status = 101;
    note(record, final_reply, request, started);
    co_await converse(final_reply);
    co_return KeepAlive::no;
  }
  const bool body_left = error || !parser_->is_done();
  const KeepAlive keep_alive =
      !body_left && !ambiguous_ && parser_->get().keep_alive() && !shared_->stopping
          ? KeepAlive::yes
          : KeepAlive::no;
  const bool written =
      co_await write_reply(final_reply, request.method == HttpMethod::head, keep_alive);
  note(record, final_reply, request, started);
  if (!written) {
    co_return KeepAlive::no;
  }
  if (body_left) {
    co_await linger();
  }
  co_return keep_alive;
}

void Connection::note(RequestRecord& record, const Reply& reply, const Request& request,
                      std::chrono::steady_clock::time_point started) const {
  if (shared_->hooks.finished) {
    record.status = reply.status;
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    record.caller = request.caller.name;
    record.context = &request.context;
    shared_->hooks.finished(record);
  }
}

asio::awaitable<Result<Reply>> Connection::guarded_answer(Request& request, RequestRecord& record) {
  try {
    Result<Reply> reply = co_await answer(request, record);
    co_return reply;
  } catch (const std::exception& error) {
    // The one place of a request where exceptions end: a bug of ours, told without its details.
    log_error(request.context, "request_failed",
              {{"route", record.route}, {"reason", error.what()}});
  }
  co_return fail(ErrorCode::internal, "an internal error; the log of honed has the details");
}

asio::awaitable<Result<Reply>> Connection::answer(Request& request, RequestRecord& record) {
  const Result<void> header = take_header(request);
  const auto& message = parser_->get();
  const auto method = parse_http_method(view(message.method_string()));
  record.method = method ? to_string(*method) : "other";
  request.method = method.value_or(HttpMethod::get);
  ambiguous_ = !header.has_value();
  HONE_CO_CHECK(header);
  HONE_CO_CHECK(check_host(request.header("host"), shared_->options.allowed_hosts));
  HONE_CO_CHECK(check_origin(request.header("origin"), shared_->options.allowed_hosts));
  HONE_CO_TRY(RequestTarget target, parse_request_target(view(message.target())));
  RouteMatch match;
  if (method) {
    match = shared_->router->find(*method, target.segments);
  } else {
    match.allowed = shared_->router->allowed_methods(target.segments);
  }

  // Who asks comes before what is there: without a token nobody learns which paths exist.
  if (match.route == nullptr || match.route->roles) {
    HONE_CO_TRY(std::string secret, bearer_token(request.header("authorization")));
    Result<Caller> caller = co_await shared_->hooks.authenticate(std::move(secret));
    HONE_CO_TRY(request.caller, std::move(caller));
  }
  if (match.route == nullptr && match.allowed.empty()) {
    co_return fail(ErrorCode::not_found, "there is nothing at this path");
  }
  if (match.route == nullptr) {
    allowed_ = match.allowed;
    error_status_ = 405;
    co_return fail(ErrorCode::unsupported, "this path takes " + match.allowed + ", not " +
                                               std::string(view(message.method_string())));
  }
  const Route& route = *match.route;
  record.route = route.path;
  if (route.roles && !route.roles->contains(request.caller.role)) {
    co_return fail(ErrorCode::permission_denied,
                   "the token \"" + request.caller.name + "\" has the role " +
                       std::string(to_string(request.caller.role)) + ", which may not do this");
  }
  request.path_values = std::move(match.path_values);
  request.query = std::move(target.query);
  HONE_CO_CHECK(check_query(route, request));
  HONE_CO_CHECK(check_body(route, request));
  Result<void> prepared = co_await prepare_body(route, request);
  HONE_CO_CHECK(std::move(prepared));
  Result<Reply> reply = co_await route.handler(request);
  co_return reply;
}

Result<void> Connection::take_header(Request& request) const {
  const auto& message = parser_->get();
  for (const auto& field : message) {
    request.headers.emplace_back(lower(view(field.name_string())), view(field.value()));
  }
  identify(request);
  if (message.version() != 11 && message.version() != 10) {
    return fail(ErrorCode::invalid_argument, "not an HTTP/1.1 request");
  }
  // Two of these could mean one thing to a proxy and another to us.
  for (const http::field once :
       {http::field::host, http::field::authorization, http::field::content_type,
        http::field::content_length, http::field::transfer_encoding, http::field::origin}) {
    if (message.count(once) > 1) {
      return fail(ErrorCode::invalid_argument,
                  "the header " + std::string(view(http::to_string(once))) + " stands twice");
    }
  }
  // Beast takes any other coding for none at all, and "2, 2" for 2: whoever stands before us may
  // not, and see the request end elsewhere.
  const std::string coding = lower(view(message[http::field::transfer_encoding]));
  if (message.count(http::field::transfer_encoding) > 0 && coding != "chunked") {
    return fail(ErrorCode::invalid_argument, "the only Transfer-Encoding is chunked");
  }
  if (view(message[http::field::content_length]).find_first_not_of("0123456789") !=
      std::string_view::npos) {
    return fail(ErrorCode::invalid_argument, "Content-Length must be one number");
  }
  return {};
}

Result<void> Connection::check_query(const Route& route, const Request& request) const {
  std::vector<FieldProblem> problems;
  if (route.any_query) {
    return {};
  }
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

Result<void> Connection::check_body(const Route& route, const Request& request) {
  if (route.body == BodyKind::messages) {
    message_limit_ = route.body_limit;
    HONE_CHECK(check_upgrade());
  }
  const auto length = parser_->content_length();
  const bool has_body = parser_->chunked() || length.value_or(0) > 0;
  if (!has_body) {
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
  if (length && *length > route.body_limit) {
    return fail(ErrorCode::too_large, "the body has " + std::to_string(*length) +
                                          " bytes, the limit here is " +
                                          std::to_string(route.body_limit));
  }
  return {};
}

Result<void> Connection::check_upgrade() {
  // All that Beast would refuse with a reply of its own, which is none of ours: a key is 16 bytes
  // in base64 (RFC 6455).
  const auto& message = parser_->get();
  const bool whole = message[http::field::sec_websocket_key].size() == 24 &&
                     message[http::field::sec_websocket_version] == "13";
  if (!whole || !boost::beast::websocket::is_upgrade(message)) {
    error_status_ = 426;
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

asio::awaitable<Result<void>> Connection::prepare_body(const Route& route, Request& request) {
  parser_->body_limit(route.body_limit);
  if (lower(request.header("expect")) == "100-continue" && !parser_->is_done()) {
    const bool told = co_await write_text("HTTP/1.1 100 Continue\r\n\r\n");
    if (!told) {
      co_return fail(ErrorCode::unavailable, "the client left");
    }
  }
  body_started_ = std::chrono::steady_clock::now();
  if (route.body == BodyKind::octets) {
    body_total_ = shared_->options.limits.octets_body;
    request.octets = this;
    co_return Result<void>();
  }
  body_total_ = shared_->options.limits.json_body;
  for (;;) {
    Result<std::string_view> piece = co_await next();
    HONE_CO_TRY(const std::string_view bytes, std::move(piece));
    if (bytes.empty()) {
      piece_ = std::string();  // a handler may wait for long: a thousand of them hold no such piece
      co_return Result<void>();
    }
    request.body += bytes;
  }
}

asio::awaitable<Result<std::string_view>> Connection::next() {
  if (parser_->is_done()) {
    co_return std::string_view();
  }
  const auto left = body_total_ - std::chrono::duration_cast<std::chrono::milliseconds>(
                                      std::chrono::steady_clock::now() - body_started_);
  const auto rest = parser_->content_length_remaining();
  piece_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(
      std::max<std::uint64_t>(rest.value_or(kBodyPieceBytes), 1), kBodyPieceBytes)));
  auto& body = parser_->get().body();
  ErrorOf error;
  // One read may give no byte of the body (a chunk's header), so look again until one comes.
  std::size_t got = 0;
  arm(std::max(std::chrono::milliseconds(1),
               std::min<std::chrono::milliseconds>(left, shared_->options.limits.body_silence)));
  while (got == 0 && !error && !parser_->is_done()) {
    body.data = piece_.data();
    body.size = piece_.size();
    body.more = true;
    auto [read_error, bytes] = co_await http::async_read_some(socket_, buffer_, *parser_, kToken);
    got = piece_.size() - body.size;
    error = read_error == http::error::need_buffer ? ErrorOf() : read_error;
  }
  disarm();
  if (!error) {
    co_return std::string_view(piece_.data(), got);
  }
  if (error == http::error::body_limit) {
    co_return fail(ErrorCode::too_large, "the body is longer than the limit here allows");
  }
  if (deadline_passed_) {
    error_status_ = 408;
    co_return fail(ErrorCode::timed_out, "the body did not arrive in time");
  }
  co_return fail(ErrorCode::invalid_argument, "the body broke off: " + error.message());
}

void Connection::begin_stop() {
  wake_.cancel();
  if (idle_) {
    ErrorOf ignored;
    socket_.cancel(ignored);
  }
}

void Connection::abort() {
  disarm();
  wake_.cancel();
  peer_closed_ = true;
  ErrorOf ignored;
  socket_.close(ignored);
}

bool Connection::gone() const {
  return peer_closed_ || shared_->stopping;
}

asio::awaitable<void> Connection::wait_gone() {
  using namespace boost::asio::experimental::awaitable_operators;
  if (gone()) {
    co_return;
  }
  asio::awaitable<void> watching = watch_socket();
  asio::awaitable<void> waking = wait_woken();
  auto first = std::move(watching) || std::move(waking);
  co_await std::move(first);
}

asio::awaitable<void> Connection::watch_socket() {
  // What we have read of its next request already does not matter: it may have left behind it.
  auto [error] = co_await socket_.async_wait(asio::ip::tcp::socket::wait_read, kToken);
  if (error) {
    co_return;
  }
  char byte = 0;
  const ssize_t got = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
    peer_closed_ = true;
    co_return;
  }
  // The client sent more than we have read: whether it is still there shows when we write.
  co_await wait_woken();
}

asio::awaitable<void> Connection::wait_woken() {
  if (!gone()) {
    co_await wake_.async_wait(kToken);
  }
}

void Connection::arm(std::chrono::milliseconds limit) {
  deadline_passed_ = false;
  deadline_.expires_after(limit);
  deadline_.async_wait([weak = weak_from_this()](const ErrorOf& error) {
    const std::shared_ptr<Connection> self = error ? nullptr : weak.lock();
    // A wait that was replaced may have been under way to us already.
    if (self && self->deadline_.expiry() <= asio::steady_timer::clock_type::now()) {
      self->deadline_passed_ = true;
      ErrorOf ignored;
      self->socket_.cancel(ignored);
    }
  });
}

void Connection::disarm() {
  deadline_.expires_at(asio::steady_timer::time_point::max());
}

}  // namespace hone
