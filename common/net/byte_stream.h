// The bytes of one connection: a TCP socket, and TLS over it where it was secured.
//
// An AsyncStream as Asio and Beast have it, so that whatever reads and writes HTTP or a WebSocket
// is written once. A read and a write may be under way at once. Cancelling or closing the socket
// ends both. Not thread safe.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "common/net/tls_stream.h"

namespace hone {

// What TLS is set up by: certificates, keys, what is trusted. Shared by the streams that use it.
using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

class ByteStream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Tls = TlsStream;
  using executor_type = Socket::executor_type;
  using next_layer_type = Socket;

  explicit ByteStream(Socket socket) : socket_(std::move(socket)) {}
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // From now on bytes go through TLS; its handshake is the caller's, by tls(). At most once.
  void secure(TlsContext context) {
    context_ = std::move(context);
    tls_.emplace(socket_, *context_);
  }
  // Null on a plain stream.
  Tls* tls() { return tls_ ? &*tls_ : nullptr; }

  Socket& socket() { return socket_; }
  const Socket& socket() const { return socket_; }
  executor_type get_executor() { return socket_.get_executor(); }
  // As Beast asks for what lies below.
  Socket& next_layer() { return socket_; }
  const Socket& next_layer() const { return socket_; }

  // void(boost::system::error_code, std::size_t). A stream that ended is asio::error::eof, with TLS
  // also where the other end took no leave.
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, Signature>(StartRead{this}, token, buffers);
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, Signature>(StartWrite{this}, token, buffers);
  }

 private:
  using Signature = void(boost::system::error_code, std::size_t);

  struct StartRead {
    ByteStream* self;
    template <class Handler, class Buffers>
    void operator()(Handler&& handler, const Buffers& buffers) const {
      if (self->tls_) {
        self->tls_->async_read_some(buffers, std::forward<Handler>(handler));
      } else {
        self->socket_.async_read_some(buffers, std::forward<Handler>(handler));
      }
    }
  };
  struct StartWrite {
    ByteStream* self;
    template <class Handler, class Buffers>
    void operator()(Handler&& handler, const Buffers& buffers) const {
      if (self->tls_) {
        self->tls_->async_write_some(buffers, std::forward<Handler>(handler));
      } else {
        self->socket_.async_write_some(buffers, std::forward<Handler>(handler));
      }
    }
  };

  Socket socket_;
  TlsContext context_;
  std::optional<Tls> tls_;
};

}  // namespace hone
