// Connection: a request's head, as it comes in.
#include <algorithm>
#include <limits>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>

#include "server/http/connection.h"

namespace hone {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorOf = boost::system::error_code;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kReadBytes = 4096;
// What an idle connection keeps of the memory that a larger request needed.
constexpr std::size_t kKeptBytes = 4096;
constexpr std::size_t kKeptFields = 64;

}  // namespace

void Connection::begin_request() {
  if (anonymous_) {
    shared_->line.enter(*this);
  }
  if (head_.text.capacity() > kKeptBytes || head_.places.capacity() > kKeptFields) {
    head_ = RequestHead();
  }
  parser_.emplace(head_);
  parser_->header_limit(std::numeric_limits<std::uint32_t>::max());  // parse_head() counts
  head_taken_ = 0;
  parser_->body_limit(boost::none);  // the route decides, once the header is known
  refusal_status_ = 0;
  body_status_ = 0;
  if (piece_.capacity() > kKeptBytes) {
    piece_ = std::string();
  }
  if (reply_head_.capacity() > kKeptBytes) {
    reply_head_ = std::string();
  }
  if (buffer_.size() == 0 && buffer_.capacity() > kKeptBytes) {
    buffer_.shrink_to_fit();
  }
}

// A head may come in any number of pieces. Of each the parser keeps the lines that are whole, and
// must not be given these again; what it did not take stays in buffer_.
Connection::Head Connection::parse_head() {
  if (buffer_.size() == 0) {
    return Head::more;
  }
  const std::size_t room = shared_->options.limits.header_bytes - head_taken_;
  const auto bytes = buffer_.data();
  const std::size_t given = std::min(bytes.size(), room);
  ErrorOf error;
  const std::size_t taken = parser_->take({static_cast<const char*>(bytes.data()), given}, error);
  buffer_.consume(taken);
  head_taken_ += taken;
  if (!error) {
    return Head::whole;
  }
  if (error == http::error::need_more && given < room) {
    return Head::more;
  }
  if (error == http::error::need_more) {
    refusal_status_ = 431;
    refusal_ = fail(ErrorCode::too_large, "the request's header is longer than " +
                                              std::to_string(shared_->options.limits.header_bytes) +
                                              " bytes");
  } else {
    refusal_status_ = 400;
    refusal_ =
        fail(ErrorCode::invalid_argument,
             "not an HTTP/1.1 request: " +
                 (parser_->refusal().empty() ? error.message() : std::string(parser_->refusal())));
  }
  return Head::bad;
}

asio::awaitable<bool> Connection::fill(std::size_t most) {
  if (stream_.tls() == nullptr) {
    auto [error] = co_await stream_.socket().async_wait(ByteStream::Socket::wait_read, kToken);
    ErrorOf read_error = error;
    if (!error) {
      buffer_.commit(stream_.socket().read_some(buffer_.prepare(most), read_error));
    }
    // A wake-up for nothing is no end.
    co_return !read_error || read_error == asio::error::would_block;
  }
  auto [error, bytes] = co_await stream_.async_read_some(buffer_.prepare(most), kToken);
  buffer_.commit(bytes);
  co_return !error;
}

// The rest of a head, of which nothing may be there yet; false when the connection ended instead.
asio::awaitable<bool> Connection::read_head() {
  Head head = Head::more;
  const HttpLimits& limits = shared_->options.limits;
  idle_ = !parser_->got_some();
  arm(!idle_ ? limits.header : heard_ ? limits.idle : std::min(limits.first_byte, limits.idle));
  if (idle_) {
    shared_->line.enter(*this);
  }
  while (head == Head::more) {
    const bool come = co_await fill(kReadBytes);
    if (!come || deadline_passed_ || (idle_ && shared_->stopping)) {
      const bool slow = deadline_passed_ && !idle_;
      idle_ = false;
      if (slow) {
        refusal_status_ = 408;
        refusal_ = fail(ErrorCode::timed_out, "the request's header did not arrive in time");
      }
      co_return slow;
    }
    if (idle_ && buffer_.size() > 0) {
      idle_ = false;
      heard_ = true;
      arm(limits.header);
      if (!anonymous_) {
        shared_->line.leave(*this);
      }
    }
    head = parse_head();
  }
  disarm();
  co_return true;
}

}  // namespace hone
