// The conversing half of a connection: what it becomes once it was upgraded to a WebSocket.
//
// It is read for as long as it lasts, also while a message is being answered: only so are pings
// answered and sent, and a peer that says nothing, not even to a ping, is given up after the idle
// limit, while one that waits for a long answer is not. The server's stop ends the wait for a
// message.
#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "common/base/log.h"
#include "server/http/connection.h"
#include "server/http/security.h"

namespace hone {

// How Beast ends the connection below a WebSocket. Its own way without TLS reads until the client
// is done, too, however much that sends: converse() does so with a limit.
template <class Handler>
void async_teardown(boost::beast::role_type, ByteStream& stream, Handler&& handler) {
  if (stream.tls() != nullptr) {
    stream.tls()->async_shutdown(std::forward<Handler>(handler));
    return;
  }
  boost::system::error_code ignored;
  stream.socket().shutdown(ByteStream::Socket::shutdown_send, ignored);
  boost::asio::post(stream.get_executor(),
                    [handler = std::forward<Handler>(handler)]() mutable { handler({}); });
}

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using Stream = websocket::stream<ByteStream&>;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

constexpr std::chrono::milliseconds kLeave{200};
// Of what a client still sends after the end, which is read so that it sees why.
constexpr std::uint64_t kReadOn = std::uint64_t{1} << 20U;
// A message that announces so many times its limit is refused at once, and by Beast, which does not
// say why. Smaller ones are counted as they come.
constexpr std::size_t kFarBeyond = 4;
// Of a message, what goes out under one limit of silence.
constexpr std::size_t kWriteBytes = std::size_t{256} << 10U;

// As a server sends it. The reason has at most 123 bytes.
std::string close_frame(const websocket::close_reason& end) {
  const auto code = static_cast<std::uint16_t>(end.code);
  std::string frame{'\x88', static_cast<char>(2 + end.reason.size()), static_cast<char>(code >> 8U),
                    static_cast<char>(code & 0xffU)};
  return frame.append(end.reason.data(), end.reason.size());
}

// The request as Beast has it, for its answer to the upgrade.
http::request<http::empty_body> upgrade_request(const Request& request) {
  http::request<http::empty_body> message{http::verb::get, "/", 11};
  for (const auto& [name, value] : request.headers) {
    message.insert(boost::beast::string_view(name.data(), name.size()),
                   boost::beast::string_view(value.data(), value.size()));
  }
  return message;
}

}  // namespace

// One conversation: two coroutines, of which one reads, and the other answers and takes leave.
class Connection::Conversation final : public MessageChannel {
 public:
  Conversation(Connection& connection, Stream& stream, std::uint64_t limit)
      : connection_(connection), stream_(stream), limit_(limit) {}

  // Until there is nothing to read any more. One message may wait while another is answered, and
  // one more be read.
  asio::awaitable<void> read() {
    set_idle_limit(connection_.shared_->options.limits.idle);
    bool there = true;
    while (there && !over_) {
      there = co_await read_message();
      if (there && waiting_) {
        // Nothing is read now, so no answer to a ping would be heard.
        set_idle_limit(websocket::stream_base::none());
        while (waiting_ && !over_) {
          co_await connection_.wake_.async_wait(kToken);
        }
        set_idle_limit(connection_.shared_->options.limits.idle);
      }
      if (there) {
        waiting_ = boost::beast::buffers_to_string(buffer_.data());
        buffer_.clear();
        connection_.wake_.cancel();
      }
    }
    ended_ = true;
    connection_.wake_.cancel();
  }

  // Lets `reply` converse, then takes leave, which ends read(), too. Beast waits for the client's
  // leave behind all that is on its way, which is not done for one that is not read any more.
  asio::awaitable<void> answer(const Reply& reply) {
    try {
      co_await reply.messages(*this);
    } catch (const std::exception& error) {
      log_error(connection_.context_, "conversation_failed", {{"reason", error.what()}});
    }
    over_ = true;
    connection_.wake_.cancel();
    if (!stream_.is_open()) {
      co_return;
    }
    if (ended_) {
      set_idle_limit(websocket::stream_base::none());
      const std::string frame = close_frame(end_);
      co_await connection_.write_text(frame);
      co_return;
    }
    // Whether the client takes leave of us in turn is its affair; a server that stops waits for
    // nobody.
    if (connection_.shared_->stopping) {
      stream_.set_option(websocket::stream_base::timeout{kLeave, kLeave, false});
      end_ = {websocket::close_code::going_away, "honed stops"};
    }
    co_await stream_.async_close(end_, kToken);
  }

  asio::awaitable<std::optional<std::string>> receive() override {
    while (!has_news()) {
      co_await connection_.wake_.async_wait(kToken);
    }
    if (!waiting_ || connection_.shared_->stopping) {
      co_return std::nullopt;
    }
    std::optional<std::string> message = std::exchange(waiting_, std::nullopt);
    connection_.wake_.cancel();
    co_return message;
  }

  asio::awaitable<bool> wait(std::chrono::milliseconds time) override {
    if (has_news()) {
      co_return true;
    }
    // What the timer does may come after the wait, and after this conversation.
    const auto over = std::make_shared<bool>(false);
    asio::steady_timer timer(connection_.wake_.get_executor(), time);
    timer.async_wait([over, connection = connection_.shared_from_this()](
                         const boost::system::error_code& cancelled) {
      if (!cancelled) {
        *over = true;
        connection->wake_.cancel();
      }
    });
    while (!has_news() && !*over) {
      co_await connection_.wake_.async_wait(kToken);
    }
    co_return has_news();
  }

  asio::awaitable<bool> send(std::string text) override {
    std::string_view left = text;
    bool last = false;
    while (!last) {
      const std::size_t size = std::min(left.size(), kWriteBytes);
      last = size == left.size();
      connection_.arm(connection_.shared_->options.limits.write_silence);
      auto [error, bytes] =
          co_await stream_.async_write_some(last, asio::buffer(left.data(), size), kToken);
      connection_.disarm();
      if (error) {
        co_return false;
      }
      left.remove_prefix(size);
    }
    co_return true;
  }

 private:
  bool has_news() const { return waiting_ || ended_ || connection_.shared_->stopping; }

  // Into buffer_; false at the end of the conversation, of which end_ says why where it is our
  // wish.
  asio::awaitable<bool> read_message() {
    // By pieces, as far as its length is for us to refuse.
    bool whole = false;
    while (!whole && buffer_.size() <= limit_) {
      auto [error, bytes] =
          co_await stream_.async_read_some(buffer_, limit_ + 1 - buffer_.size(), kToken);
      if (error) {
        co_return false;
      }
      whole = stream_.is_message_done();
    }
    if (!whole || buffer_.size() > limit_) {
      end_ = {websocket::close_code::too_big,
              "a message here has at most " + std::to_string(limit_) + " bytes"};
      co_return false;
    }
    if (!stream_.got_text()) {
      end_ = {websocket::close_code::unknown_data, "messages here are text"};
      co_return false;
    }
    co_return true;
  }

  // Counts from the next read on.
  void set_idle_limit(std::chrono::steady_clock::duration limit) {
    stream_.set_option(
        websocket::stream_base::timeout{connection_.shared_->options.limits.header, limit, true});
  }

  Connection& connection_;
  Stream& stream_;
  std::uint64_t limit_;
  boost::beast::flat_buffer buffer_;    // what read() has of a message
  std::optional<std::string> waiting_;  // for receive()
  bool ended_ = false;                  // nothing is read any more
  bool over_ = false;                   // nothing is asked for any more
  websocket::close_reason end_{websocket::close_code::normal};
};

asio::awaitable<void> Connection::converse(const Exchange& exchange, const Reply& reply) {
  using namespace boost::asio::experimental::awaitable_operators;
  const HttpLimits& limits = shared_->options.limits;
  Stream stream(stream_);
  stream.set_option(websocket::stream_base::timeout{limits.header, limits.idle, true});
  stream.set_option(websocket::stream_base::decorator(
      [id = context_.request](websocket::response_type& response) {
        for (const auto& [name, value] : security_headers()) {
          response.set(name, value);
        }
        response.set("X-Request-Id", id);
      }));
  stream.read_message_max(kFarBeyond * exchange.match.route->body_limit);
  stream.text(true);
  const http::request<http::empty_body> request = upgrade_request(exchange.request);
  auto [refused] = co_await stream.async_accept(request, kToken);
  if (refused) {
    co_return;
  }
  Conversation conversation(*this, stream, exchange.match.route->body_limit);
  asio::awaitable<void> reading = conversation.read();
  asio::awaitable<void> answering = conversation.answer(reply);
  asio::awaitable<void> both = std::move(reading) && std::move(answering);
  co_await std::move(both);
  if (!shared_->stopping) {
    co_await linger(kReadOn);
  }
}

}  // namespace hone
