#include "server/http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "common/net/tls.h"
#include "server/http/problem_reply.h"
#include "server/http/request_context.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using ErrorOf = boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
// Requests of one client that are answered before others have their turn.
constexpr int kInARow = 16;
// Of linger(), which has a limit of time besides.
constexpr std::uint64_t kAnyBytes = std::numeric_limits<std::uint64_t>::max();
// That made way: what they wait for ends with them, and soon, but for a database that hangs.
constexpr std::size_t kMostLeaving = 256;
constexpr char kHandshakeRecord = 0x16;  // what every TLS connection begins with

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, std::shared_ptr<ConnectionShared> shared)
    : stream_(std::move(socket)),
      shared_(std::move(shared)),
      wake_(stream_.get_executor()),
      deadline_(Clock::time_point::max()) {
  wake_.expires_at(asio::steady_timer::time_point::max());
  ErrorOf ignored;
  stream_.socket().non_blocking(true, ignored);
  address_ = stream_.socket().remote_endpoint(ignored).address();
}

asio::awaitable<void> Connection::serve(std::shared_ptr<Connection> self) {
  try {
    co_await self->run();
  } catch (const std::exception& error) {
    log_error("connection_failed", {{"reason", error.what()}});
  }
  self->abort();
}

asio::awaitable<void> Connection::turn_away(std::shared_ptr<Connection> self, Error why) {
  if (!self->shared_->options.tls) {
    const Exchange nobodys;
    const ReplyOf reply = std::make_shared<Reply>(problem_reply(why));
    self->write_head(nobodys, *reply, KeepAlive::no);
    co_await self->write_rest(reply->body, 0);
    co_await self->linger(kAnyBytes);
  }
  self->abort();
}

asio::awaitable<void> Connection::run() {
  shared_->line.enter(*this);
  const bool begun = co_await begin();
  for (int in_a_row = 1; begun && !shared_->stopping; ++in_a_row) {
    begin_request();
    Head head = parse_head();
    if (head == Head::more) {
      const bool come = co_await read_head();
      if (!come) {
        break;  // the client left, or was idle for too long: nobody is there to tell
      }
      head = refusal_status_ == 0 ? Head::whole : Head::bad;
      in_a_row = 1;
    }
    Exchange exchange;
    exchange.started = Clock::now();
    exchange.request.peer = this;
    exchange.status = refusal_status_;
    if (head == Head::bad) {
      identify(exchange.request);  // its header could not be read
    }
    ReplyOf reply = head == Head::bad ? problem(exchange, refusal_) : answer_at_once(exchange);
    if (!reply) {
      reply = co_await answer(exchange);
    }
    // What can be written at once is; most replies end here.
    const bool plain = !reply->file && !reply->events && !reply->pieces && !reply->messages;
    if (plain && head == Head::whole && parser_->is_done()) {
      const bool keeps = parser_->keep_alive() && !shared_->stopping && !ends_;
      write_head(exchange, *reply, keeps ? KeepAlive::yes : KeepAlive::no);
      const bool has_body = exchange.request.method != HttpMethod::head;
      const std::string_view body = has_body ? reply->text() : std::string_view();
      const std::size_t written = write_at_once(body);
      if (written < reply_head_.size() + body.size()) {
        if (!hold_answer(exchange, *reply)) {
          break;
        }
        const bool whole = co_await write_rest(body, written);
        if (!whole) {
          break;
        }
      }
      note(exchange, reply->status);
      head_.fields.swap(exchange.request.headers);
      if (!keeps) {
        co_await leave();
        break;
      }
    } else {
      const KeepAlive keep_alive = co_await finish_request(exchange, std::move(reply));
      head_.fields.swap(exchange.request.headers);
      if (keep_alive == KeepAlive::no) {
        break;
      }
    }
    if (in_a_row >= kInARow) {
      co_await asio::post(stream_.get_executor(), asio::use_awaitable);
      in_a_row = 0;
    }
  }
}

// TLS, where it is spoken here. Who speaks HTTP instead is told so.
asio::awaitable<bool> Connection::begin() {
  if (!shared_->options.tls) {
    co_return true;
  }
  idle_ = true;
  arm(std::min(shared_->options.limits.first_byte, shared_->options.limits.header));
  auto [wait_error] = co_await stream_.socket().async_wait(ByteStream::Socket::wait_read, kToken);
  idle_ = false;
  char first = 0;
  const ssize_t got = wait_error ? -1 : recv(stream_.socket().native_handle(), &first, 1, MSG_PEEK);
  if (got <= 0) {
    co_return false;
  }
  heard_ = true;
  arm(shared_->options.limits.header);
  if (first != kHandshakeRecord) {
    disarm();
    const Exchange nobodys;
    const Reply reply = problem_reply(
        fail(ErrorCode::invalid_argument, "this port speaks TLS: use https:// in the URL"));
    write_head(nobodys, reply, KeepAlive::no);
    co_await write_rest(reply.body, 0);
    co_await linger(kAnyBytes);
    co_return false;
  }
  stream_.secure(shared_->options.tls());
  ByteStream::Tls& tls = *stream_.tls();
  auto [error] = co_await tls.async_handshake(TlsStream::Side::server, kToken);
  disarm();
  if (error) {
    log_debug("tls_handshake_failed",
              {{"address", address_.to_string()}, {"reason", error.message()}});
    co_await linger(kAnyBytes);  // or a reset overtakes what OpenSSL told the client about it
    co_return false;
  }
  certified_ = peer_has_certificate(tls);
  co_return true;
}

// What takes its time: a body that is left, a file, a stream, a conversation.
asio::awaitable<Connection::KeepAlive> Connection::finish_request(Exchange& exchange,
                                                                  ReplyOf reply) {
  context_ = exchange.request.context;
  const bool streams = reply->events || reply->pieces || reply->messages;
  TokenLimits::Hold held;
  if (streams && !exchange.request.caller.token_id.empty()) {
    held = shared_->limits.hold_stream(exchange.request.caller.token_id);
    if (!held) {
      reply = problem(exchange, fail(ErrorCode::resource_exhausted,
                                     "the token \"" + exchange.request.caller.name + "\" has " +
                                         std::to_string(shared_->limits.options().streams) +
                                         " streams open already"));
    }
  }
  if (reply->messages) {
    note(exchange, 101);
    co_await converse(exchange, *reply);
    co_return KeepAlive::no;
  }
  const bool body_left = refusal_status_ != 0 || !parser_->is_done();
  const bool keeps = !body_left && parser_->keep_alive() && !shared_->stopping && !ends_;
  const KeepAlive keep_alive = keeps ? KeepAlive::yes : KeepAlive::no;
  write_head(exchange, *reply, keep_alive);
  const bool has_body = exchange.request.method != HttpMethod::head;
  const std::string_view body = has_body ? reply->text() : std::string_view();
  if (!hold_answer(exchange, *reply)) {
    note(exchange, reply->status);
    co_return KeepAlive::no;
  }
  bool written = co_await write_rest(body, 0);
  if (written && has_body && reply->file) {
    written = co_await write_file(*reply->file);
  } else if (written && has_body && (reply->events || reply->pieces)) {
    written = co_await write_stream(*reply);
  }
  note(exchange, reply->status);
  if (!written) {
    co_return KeepAlive::no;
  }
  if (body_left) {
    co_await linger(kAnyBytes);
  } else if (keep_alive == KeepAlive::no) {
    co_await leave();
  }
  co_return keep_alive;
}

void Connection::note(Exchange& exchange, int status) const {
  if (shared_->hooks.finished) {
    RequestRecord& record = exchange.record;
    record.status = status;
    record.seconds = std::chrono::duration<double>(Clock::now() - exchange.started).count();
    record.caller = exchange.request.caller.name;
    record.context = &exchange.request.context;
    shared_->hooks.finished(record);
  }
}

// What has just come is not read yet: who waits for a request may have one.
bool Connection::may_end() {
  char next = 0;
  return shared_->leaving < kMostLeaving &&
         (!idle_ || recv(stream_.socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT) < 1);
}

void Connection::make_way() {
  if (made_way_) {
    return;
  }
  made_way_ = true;
  ++shared_->leaving;
  place_ = TokenLimits::Hold();
  if (anonymous_) {
    anonymous_ = false;
    shared_->no_longer_anonymous(address_);
  }
  abort();
}

void Connection::take_last_place() {
  last_place_ = true;
  ends_ = true;
}

void Connection::begin_stop() {
  wake_.cancel();
  if (idle_) {
    ErrorOf ignored;
    stream_.socket().cancel(ignored);
  }
}

void Connection::abort() {
  shared_->line.leave(*this);
  disarm();
  wake_.cancel();
  peer_closed_ = true;
  ErrorOf ignored;
  stream_.socket().close(ignored);
}

}  // namespace hone
