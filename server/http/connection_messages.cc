// The conversing half of a connection: what it becomes once it was upgraded to a WebSocket.
//
// The wait for a message is the client's idling, and ends as other idling does when the server
// stops; a peer that says nothing, not even to a ping, is given up after the idle limit.
#include <chrono>
#include <exception>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "common/base/log.h"
#include "server/http/connection.h"
#include "server/http/security.h"

namespace hone {

// How Beast ends the connection below a WebSocket.
template <class Handler>
void async_teardown(boost::beast::role_type role, ByteStream& stream, Handler&& handler) {
  if (stream.tls() != nullptr) {
    stream.tls()->async_shutdown(std::forward<Handler>(handler));
  } else {
    boost::beast::websocket::async_teardown(role, stream.socket(), std::forward<Handler>(handler));
  }
}

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using ErrorOf = boost::system::error_code;
using Stream = websocket::stream<ByteStream&>;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

constexpr std::chrono::milliseconds kLeave{200};

class SocketMessages final : public MessageChannel {
 public:
  SocketMessages(Stream& stream, std::uint64_t limit, bool& idle, const bool& stopping)
      : stream_(stream), limit_(limit), idle_(idle), stopping_(stopping) {}

  asio::awaitable<std::optional<std::string>> receive() override {
    if (stopping_) {
      co_return std::nullopt;
    }
    buffer_.clear();
    idle_ = true;
    // By pieces, since Beast ends a conversation that is over its own limit without saying why.
    ErrorOf error;
    bool whole = false;
    while (!error && !whole && buffer_.size() <= limit_) {
      auto [read_error, bytes] =
          co_await stream_.async_read_some(buffer_, limit_ + 1 - buffer_.size(), kToken);
      error = read_error;
      whole = !error && stream_.is_message_done();
    }
    idle_ = false;
    if (error || stopping_) {
      co_return std::nullopt;
    }
    if (!whole || buffer_.size() > limit_) {
      end_ = {websocket::close_code::too_big,
              "a message here has at most " + std::to_string(limit_) + " bytes"};
      co_return std::nullopt;
    }
    if (!stream_.got_text()) {
      end_ = {websocket::close_code::unknown_data, "messages here are text"};
      co_return std::nullopt;
    }
    co_return boost::beast::buffers_to_string(buffer_.data());
  }

  asio::awaitable<bool> send(std::string text) override {
    auto [error, bytes] = co_await stream_.async_write(asio::buffer(text), kToken);
    co_return !error;
  }

  // Why we end the conversation.
  websocket::close_reason end() const {
    return stopping_ ? websocket::close_reason(websocket::close_code::going_away, "honed stops")
                     : end_;
  }

 private:
  Stream& stream_;
  std::uint64_t limit_;
  bool& idle_;
  const bool& stopping_;
  boost::beast::flat_buffer buffer_;
  websocket::close_reason end_{websocket::close_code::normal};
};

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

asio::awaitable<void> Connection::converse(const Exchange& exchange, const Reply& reply) {
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
  stream.read_message_max(0);  // SocketMessages sees to that
  stream.text(true);
  const http::request<http::empty_body> request = upgrade_request(exchange.request);
  auto [refused] = co_await stream.async_accept(request, kToken);
  if (refused) {
    co_return;
  }
  SocketMessages messages(stream, exchange.match.route->body_limit, idle_, shared_->stopping);
  try {
    co_await reply.messages(messages);
  } catch (const std::exception& error) {
    log_error(context_, "conversation_failed", {{"reason", error.what()}});
  }
  if (stream.is_open()) {
    // Whether the client takes leave of us in turn is its affair; a server that stops waits for
    // nobody.
    if (shared_->stopping) {
      stream.set_option(websocket::stream_base::timeout{kLeave, kLeave, false});
    }
    co_await stream.async_close(messages.end(), kToken);
  }
}

}  // namespace hone
