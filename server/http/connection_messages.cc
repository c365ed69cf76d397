// The conversing half of a connection: what it becomes once it was upgraded to a WebSocket.
//
// The wait for a message is the client's idling, and ends as other idling does when the server
// stops; a peer that says nothing, not even to a ping, is given up after the idle limit.
#include <chrono>
#include <exception>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "common/base/log.h"
#include "server/http/connection.h"
#include "server/http/security.h"

namespace hone {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using ErrorOf = boost::system::error_code;
using Stream = websocket::stream<asio::ip::tcp::socket&>;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

constexpr std::chrono::milliseconds kLeave{200};

class SocketMessages final : public MessageChannel {
 public:
  SocketMessages(Stream& stream, bool& idle, const bool& stopping)
      : stream_(stream), idle_(idle), stopping_(stopping) {}

  asio::awaitable<std::optional<std::string>> receive() override {
    if (stopping_) {
      co_return std::nullopt;
    }
    buffer_.clear();
    idle_ = true;
    auto [error, bytes] = co_await stream_.async_read(buffer_, kToken);
    idle_ = false;
    if (error || stopping_) {
      co_return std::nullopt;
    }
    if (!stream_.got_text()) {
      end_ = websocket::close_code::unknown_data;
      co_return std::nullopt;
    }
    co_return boost::beast::buffers_to_string(buffer_.data());
  }

  asio::awaitable<bool> send(std::string text) override {
    auto [error, bytes] = co_await stream_.async_write(asio::buffer(text), kToken);
    co_return !error;
  }

  // Why we end the conversation.
  websocket::close_code end() const { return stopping_ ? websocket::close_code::going_away : end_; }

 private:
  Stream& stream_;
  bool& idle_;
  const bool& stopping_;
  boost::beast::flat_buffer buffer_;
  websocket::close_code end_ = websocket::close_code::normal;
};

}  // namespace

asio::awaitable<void> Connection::converse(const Reply& reply) {
  const HttpLimits& limits = shared_->options.limits;
  Stream stream(socket_);
  stream.set_option(websocket::stream_base::timeout{limits.header, limits.idle, true});
  stream.set_option(websocket::stream_base::decorator(
      [id = context_.request](websocket::response_type& response) {
        for (const auto& [name, value] : security_headers()) {
          response.set(name, value);
        }
        response.set("X-Request-Id", id);
      }));
  stream.read_message_max(message_limit_);
  stream.text(true);
  auto [refused] = co_await stream.async_accept(parser_->get(), kToken);
  if (refused) {
    co_return;
  }
  SocketMessages messages(stream, idle_, shared_->stopping);
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
