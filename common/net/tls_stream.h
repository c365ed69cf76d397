// TLS over a connected TCP socket, by OpenSSL straight on the socket.
//
// What Asio's ssl::stream does, without the four buffers of a record's size that it keeps for each
// connection: an idle one holds some KiB only. A read and a write may be under way at once.
// Cancelling or closing the socket ends both. The socket is non-blocking. Not thread safe.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>

namespace hone {

class TlsStream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using executor_type = Socket::executor_type;
  using next_layer_type = Socket;
  enum class Side { client, server };

  // Both outlive the stream.
  TlsStream(Socket& socket, boost::asio::ssl::context& context);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  SSL* native_handle() { return ssl_; }
  executor_type get_executor() { return socket_.get_executor(); }
  Socket& next_layer() { return socket_; }
  const Socket& next_layer() const { return socket_; }

  // void(boost::system::error_code). A failure of TLS has Asio's SSL category.
  template <class Token>
  auto async_handshake(Side side, Token&& token) {
    return run<void(ErrorOf)>(Handshake{side}, std::forward<Token>(token));
  }
  // Takes leave, and waits for the other end to do so.
  template <class Token>
  auto async_shutdown(Token&& token) {
    return run<void(ErrorOf)>(Shutdown{}, std::forward<Token>(token));
  }
  // void(boost::system::error_code, std::size_t); asio::error::eof at the end, orderly or not.
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return run<void(ErrorOf, std::size_t)>(Read{first_of<boost::asio::mutable_buffer>(buffers)},
                                           std::forward<Token>(token));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return run<void(ErrorOf, std::size_t)>(Write{first_of<boost::asio::const_buffer>(buffers)},
                                           std::forward<Token>(token));
  }

 private:
  using ErrorOf = boost::system::error_code;
  enum class Wants { nothing, read, write };

  // What each does by OpenSSL; gives its return value.
  struct Handshake {
    static constexpr bool kCounts = false;
    Side side;
    int operator()(SSL* ssl, std::size_t& done) const;
  };
  struct Shutdown {
    static constexpr bool kCounts = false;
    int operator()(SSL* ssl, std::size_t& done) const;
  };
  struct Read {
    static constexpr bool kCounts = true;
    boost::asio::mutable_buffer room;
    int operator()(SSL* ssl, std::size_t& done) const;
  };
  struct Write {
    static constexpr bool kCounts = true;
    boost::asio::const_buffer bytes;
    int operator()(SSL* ssl, std::size_t& done) const;
  };

  // What OpenSSL waits for after it gave `result`; nothing: it is done, or `error` says why not.
  Wants judge(int result, ErrorOf& error);

  // Works until OpenSSL waits for nothing any more.
  template <class Work>
  struct Operation {
    TlsStream* stream;
    Work work;
    bool waited = false;
    bool over = false;
    std::size_t done = 0;
    ErrorOf result{};

    template <class Self>
    void operator()(Self& self, ErrorOf waiting = {}) {
      if (!over) {
        Wants wants = Wants::nothing;
        result = waiting ? waiting : stream->begin();
        if (!result) {
          wants = stream->judge(work(stream->ssl_, done), result);
        }
        if (wants != Wants::nothing) {
          waited = true;
          stream->socket_.async_wait(wants == Wants::read ? Socket::wait_read : Socket::wait_write,
                                     std::move(self));
          return;
        }
        over = true;
        if (!waited) {
          // Never from within the call that started it.
          boost::asio::post(stream->get_executor(), std::move(self));
          return;
        }
      }
      if constexpr (Work::kCounts) {
        self.complete(result, done);
      } else {
        self.complete(result);
      }
    }
  };

  template <class Signature, class Work, class Token>
  auto run(Work work, Token&& token) {
    return boost::asio::async_compose<Token, Signature>(Operation<Work>{this, work}, token,
                                                        socket_);
  }

  template <class Buffer, class Buffers>
  static Buffer first_of(const Buffers& buffers) {
    auto at = boost::asio::buffer_sequence_begin(buffers);
    const auto end = boost::asio::buffer_sequence_end(buffers);
    while (at != end && Buffer(*at).size() == 0) {
      ++at;
    }
    return at == end ? Buffer() : Buffer(*at);
  }

  // Before OpenSSL is asked. An error when the socket was closed: its number may be another's now.
  ErrorOf begin();

  Socket& socket_;
  SSL* ssl_;
};

}  // namespace hone
