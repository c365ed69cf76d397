// The body of a connection's current request: whole for JSON, in pieces for octets.
#include <algorithm>
#include <utility>

#include <boost/beast/http/error.hpp>

#include "server/http/connection.h"
#include "server/http/letter_case.h"

namespace hone {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorOf = boost::system::error_code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kBodyPieceBytes = 65536;
// Of bytes that are no body: a chunk's line, the fields behind the last one.
constexpr std::size_t kMaxFramingBytes = 16384;

}  // namespace

asio::awaitable<Result<void>> Connection::prepare_body(Exchange& exchange) {
  const Route& route = *exchange.match.route;
  Request& request = exchange.request;
  if (parser_->is_done()) {
    request.octets = route.body == BodyKind::octets ? this : nullptr;
    co_return Result<void>();
  }
  parser_->body_limit(route.body_limit);
  if (equal_but_case(request.header("expect"), "100-continue")) {
    const bool told = co_await write_text("HTTP/1.1 100 Continue\r\n\r\n");
    if (!told) {
      co_return fail(ErrorCode::unavailable, "the client left");
    }
  }
  body_started_ = Clock::now();
  if (route.body == BodyKind::octets) {
    body_total_ = shared_->options.limits.octets_body;
    request.octets = this;
    co_return Result<void>();
  }
  body_total_ = shared_->options.limits.json_body;
  for (;;) {
    Result<std::string_view> piece = co_await next();
    if (!piece) {
      exchange.status = body_status_;
      co_return piece.error();
    }
    if (piece->empty()) {
      // A handler may wait for long: a thousand of them hold no such memory.
      piece_ = std::string();
      if (buffer_.size() == 0) {
        buffer_.shrink_to_fit();
      }
      co_return Result<void>();
    }
    HONE_CO_CHECK(hold_body(exchange, piece->size()));
    request.body += *piece;
  }
}

// What is told to a client that may come again when others have ended.
Result<void> Connection::hold_body(Exchange& exchange, std::size_t bytes) {
  const Caller& caller = exchange.request.caller;
  if (!exchange.memory) {
    exchange.memory = shared_->bodies.hold(caller.token_id);
  }
  switch (exchange.memory.add(bytes)) {
    case BodyMemory::Room::given:
      break;
    case BodyMemory::Room::token_has_its_share:
      return fail(ErrorCode::resource_exhausted,
                  "requests of the token \"" + caller.name + "\" hold " +
                      std::to_string(shared_->bodies.options().token) + " bytes of bodies already");
    case BodyMemory::Room::all_is_used:
      return fail(ErrorCode::unavailable, "requests hold " +
                                              std::to_string(shared_->bodies.options().all) +
                                              " bytes of bodies already");
  }
  return {};
}

asio::awaitable<Result<std::string_view>> Connection::next() {
  if (parser_->is_done()) {
    co_return std::string_view();
  }
  const auto left =
      body_total_ - std::chrono::duration_cast<milliseconds>(Clock::now() - body_started_);
  const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(
      kBodyPieceBytes, parser_->content_length_remaining().value_or(kBodyPieceBytes)));
  piece_.resize(most);
  parser_->give_room(piece_.data(), piece_.size());
  ErrorOf error;
  bool ended = false;
  arm(std::max(milliseconds(1),
               std::min<milliseconds>(left, shared_->options.limits.body_silence)));
  // One read may give no byte of the body (a chunk's header), so look again until one comes.
  while (parser_->filled() == 0 && !parser_->is_done() && !error) {
    const auto bytes = buffer_.data();
    ErrorOf parse_error = http::error::need_more;
    if (bytes.size() > 0) {
      buffer_.consume(
          parser_->take({static_cast<const char*>(bytes.data()), bytes.size()}, parse_error));
    }
    if (parse_error == http::error::need_more && buffer_.size() > kMaxFramingBytes) {
      parse_error = http::error::bad_chunk;
    }
    if (parse_error == http::error::need_more && !deadline_passed_) {
      const bool come = co_await fill(most);
      if (come) {
        continue;
      }
      ended = !deadline_passed_;
    }
    error = parse_error == http::error::need_buffer ? ErrorOf() : parse_error;
  }
  disarm();
  if (parser_->filled() > 0 || !error) {
    co_return std::string_view(piece_.data(), parser_->filled());
  }
  if (error == http::error::body_limit) {
    co_return fail(ErrorCode::too_large, "the body is longer than the limit here allows");
  }
  if (deadline_passed_) {
    body_status_ = 408;
    co_return fail(ErrorCode::timed_out, "the body did not arrive in time");
  }
  const std::string why(parser_->refusal());
  co_return fail(ErrorCode::invalid_argument,
                 "the body broke off: " + (ended         ? "the client left"
                                           : why.empty() ? error.message()
                                                         : why));
}

}  // namespace hone
