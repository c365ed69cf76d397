// A WebSocket client for tests, which blocks.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace hone {

class WebSocketClient {
 public:
  explicit WebSocketClient(std::uint16_t port) : stream_(context_) {
    stream_.next_layer().connect({boost::asio::ip::address_v4::loopback(), port}, error_);
  }

  // The status that the server answered with: 101 if it is a WebSocket now, 0 if there is none.
  int open(const std::string& path, const std::string& token) {
    namespace websocket = boost::beast::websocket;
    stream_.set_option(
        websocket::stream_base::decorator([&token](websocket::request_type& request) {
          request.set(boost::beast::http::field::authorization, "Bearer " + token);
        }));
    websocket::response_type response;
    stream_.handshake(response, "localhost", path, error_);
    return response.result_int();
  }

  bool send(const std::string& message) {
    stream_.write(boost::asio::buffer(message), error_);
    return !error_;
  }
  bool send_binary(const std::string& message) {
    stream_.binary(true);
    return send(message);
  }

  // Whether the server sends something, or ends the conversation, within the time.
  bool hears_within(std::chrono::milliseconds time) {
    pollfd polled{stream_.next_layer().native_handle(), POLLIN, 0};
    return ::poll(&polled, 1, static_cast<int>(time.count())) > 0;
  }

  // Nothing when the server ended the conversation: see closed_with().
  std::optional<std::string> receive() {
    boost::beast::flat_buffer buffer;
    stream_.read(buffer, error_);
    return error_ ? std::nullopt : std::optional(boost::beast::buffers_to_string(buffer.data()));
  }

  // The server's close code.
  int closed_with() const { return stream_.reason().code; }
  std::string closed_because() const {
    const auto& reason = stream_.reason().reason;
    return {reason.data(), reason.size()};
  }

 private:
  boost::asio::io_context context_;
  boost::beast::websocket::stream<boost::asio::ip::tcp::socket> stream_;
  boost::system::error_code error_;
};

}  // namespace hone
