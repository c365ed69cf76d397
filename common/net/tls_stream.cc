#include "common/net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <new>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

namespace hone {
namespace {

int descriptor(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

bool is_for_later(ssize_t result) {
  return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

// OpenSSL's own socket BIO would raise SIGPIPE.
int write_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent =
      send(descriptor(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (is_for_later(sent)) {
    BIO_set_retry_write(bio);
  }
  return static_cast<int>(sent);
}

int read_socket(BIO* bio, char* room, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = recv(descriptor(bio), room, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (is_for_later(got)) {
    BIO_set_retry_read(bio);
  }
  return static_cast<int>(got);
}

long control_socket(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* socket_method() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    BIO_meth_set_write(method, write_socket);
    BIO_meth_set_read(method, read_socket);
    BIO_meth_set_ctrl(method, control_socket);
    return method;
  }();
  return kMethod;
}

}  // namespace

TlsStream::TlsStream(Socket& socket, boost::asio::ssl::context& context)
    : socket_(socket), ssl_(SSL_new(context.native_handle())) {
  BIO* const bio = BIO_new(socket_method());
  if (ssl_ == nullptr || bio == nullptr) {
    throw std::bad_alloc();
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket.native_handle())));
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_mode(ssl_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                         SSL_MODE_RELEASE_BUFFERS);
}

TlsStream::~TlsStream() {
  // OpenSSL resumes no session of a connection that ended without leave. Ours are of HTTP, which
  // knows where its messages end.
  SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(ssl_);
}

boost::system::error_code TlsStream::begin() {
  ERR_clear_error();
  errno = 0;
  return socket_.is_open() ? ErrorOf() : ErrorOf(boost::asio::error::bad_descriptor);
}

int TlsStream::Handshake::operator()(SSL* ssl, std::size_t&) const {
  return side == Side::client ? SSL_connect(ssl) : SSL_accept(ssl);
}

int TlsStream::Shutdown::operator()(SSL* ssl, std::size_t&) const {
  const int result = SSL_shutdown(ssl);
  // 0: ours was sent; once more waits for the other end's.
  return result == 0 ? SSL_shutdown(ssl) : result;
}

int TlsStream::Read::operator()(SSL* ssl, std::size_t& done) const {
  return room.size() == 0 ? 1 : SSL_read_ex(ssl, room.data(), room.size(), &done);
}

int TlsStream::Write::operator()(SSL* ssl, std::size_t& done) const {
  return bytes.size() == 0 ? 1 : SSL_write_ex(ssl, bytes.data(), bytes.size(), &done);
}

TlsStream::Wants TlsStream::judge(int result, ErrorOf& error) {
  error = {};
  if (result > 0) {
    return Wants::nothing;
  }
  const int reason = errno;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return Wants::read;
    case SSL_ERROR_WANT_WRITE:
      return Wants::write;
    case SSL_ERROR_ZERO_RETURN:
      error = boost::asio::error::eof;
      break;
    case SSL_ERROR_SYSCALL:
      error = reason == 0 ? ErrorOf(boost::asio::error::eof)
                          : ErrorOf(reason, boost::system::system_category());
      break;
    default: {
      const unsigned long code = ERR_get_error();
      error = ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING
                  ? ErrorOf(boost::asio::error::eof)
                  : ErrorOf(static_cast<int>(code), boost::asio::error::get_ssl_category());
      break;
    }
  }
  return Wants::nothing;
}

}  // namespace hone
