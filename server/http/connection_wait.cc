// Connection: waits on the client beside its requests. Whether it is still there, deadlines, and
// how it is taken leave of.
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/http/connection.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using ErrorOf = boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kDroppedBytes = 65536;

}  // namespace

// With TLS a reader is told that this was all. Whether it takes leave of us in turn is its affair.
asio::awaitable<void> Connection::leave() {
  if (stream_.tls() != nullptr && !peer_closed_) {
    arm(shared_->options.limits.linger);
    co_await stream_.tls()->async_shutdown(kToken);
    disarm();
  }
}

// Closing with unread bytes in the socket would reset the connection, and the client, still busy
// sending, would lose the answer that tells it why. So: say that we are done, then read and drop
// for a while, and at most so many bytes.
asio::awaitable<void> Connection::linger(std::uint64_t most) {
  // Nobody looks at what comes, so all connections have one place for it: who is refused costs no
  // memory while it is waited for.
  static thread_local std::array<char, kDroppedBytes> dropped;
  ErrorOf ignored;
  stream_.socket().shutdown(ByteStream::Socket::shutdown_send, ignored);
  arm(shared_->options.limits.linger);
  for (std::uint64_t taken = 0; taken < most;) {
    auto [error, bytes] = co_await stream_.socket().async_read_some(asio::buffer(dropped), kToken);
    if (error || deadline_passed_) {
      break;
    }
    taken += bytes;
  }
  disarm();
}

bool Connection::gone() const {
  return peer_closed_ || shared_->stopping;
}

asio::awaitable<void> Connection::wait_gone() {
  using namespace boost::asio::experimental::awaitable_operators;
  if (gone()) {
    co_return;
  }
  asio::awaitable<void> watching = watch_socket();
  asio::awaitable<void> waking = wait_woken();
  auto first = std::move(watching) || std::move(waking);
  co_await std::move(first);
}

asio::awaitable<void> Connection::watch_socket() {
  // What we have read of its next request already does not matter: it may have left behind it.
  if (stream_.tls() != nullptr) {
    // Only reading tells whether what comes is the client's leave. Of its next requests no more is
    // kept than a head may have, however often it is waited for.
    if (buffer_.size() < shared_->options.limits.header_bytes) {
      auto [error, bytes] = co_await stream_.async_read_some(buffer_.prepare(kReadBytes), kToken);
      buffer_.commit(bytes);
      if (error) {
        peer_closed_ = peer_closed_ || error != asio::error::operation_aborted;
        co_return;
      }
    }
  } else {
    auto [error] = co_await stream_.socket().async_wait(ByteStream::Socket::wait_read, kToken);
    if (error) {
      co_return;
    }
    char byte = 0;
    const ssize_t got = recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      peer_closed_ = true;
      co_return;
    }
  }
  // The client sent more than we have read: whether it is still there shows when we write.
  co_await wait_woken();
}

asio::awaitable<void> Connection::wait_woken() {
  // It may have been woken for another's sake.
  const asio::cancellation_state cancelled = co_await asio::this_coro::cancellation_state;
  while (!gone() && cancelled.cancelled() == asio::cancellation_type::none) {
    co_await wake_.async_wait(kToken);
  }
}

void Connection::arm(std::chrono::milliseconds limit) {
  deadline_passed_ = false;
  deadline_ = Clock::now() + limit;
}

void Connection::disarm() {
  deadline_ = Clock::time_point::max();
}

void Connection::check_deadline(Clock::time_point now) {
  if (deadline_ <= now) {
    disarm();
    deadline_passed_ = true;
    ErrorOf ignored;
    stream_.socket().cancel(ignored);
  }
}

}  // namespace hone
