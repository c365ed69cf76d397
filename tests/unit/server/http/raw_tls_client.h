// A TLS connection to a server on this machine, for what Client does not do. Verifies nothing.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

namespace hone {

class RawTlsClient {
 public:
  using Stream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;

  explicit RawTlsClient(std::uint16_t port, int most = TLS1_3_VERSION) {
    SSL_CTX_set_max_proto_version(tls_.native_handle(), most);
    stream_ = std::make_unique<Stream>(context_, tls_);
    stream_->next_layer().connect({boost::asio::ip::address_v4::loopback(), port}, error_);
    stream_->next_layer().set_option(boost::asio::ip::tcp::no_delay(true), error_);
    stream_->handshake(Stream::client, error_);
  }

  const boost::system::error_code& error() const { return error_; }
  Stream& stream() { return *stream_; }
  void send(std::string_view text) {
    boost::asio::write(*stream_, boost::asio::buffer(text), error_);
  }
  // What comes until `end` does, or the connection ends.
  std::string read_through(const std::string& end) {
    std::string text;
    boost::asio::read_until(*stream_, boost::asio::dynamic_buffer(text), end, error_);
    return text;
  }
  void close() { stream_->next_layer().close(); }

 private:
  boost::asio::io_context context_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};
  std::unique_ptr<Stream> stream_;
  boost::system::error_code error_;
};

}  // namespace hone
