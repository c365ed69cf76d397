// The writing half of a connection: heads, and replies that are whole in memory. HTTP's own framing
// is little here, so heads are written as text.
#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "common/base/log.h"
#include "common/protocol/problem.h"
#include "server/http/connection.h"
#include "server/http/security.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using ErrorOf = boost::system::error_code;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kWriteBytes = std::size_t{256} << 10U;
// A head and a body that are copied together, so that TLS makes one record of them.
constexpr std::size_t kJoinedBytes = 16384;

// "Date: Fri, 27 Nov 2026 23:18:07 GMT\r\n" (RFC 9110, IMF-fixdate), made once a second.
std::string_view date_line() {
  static thread_local std::time_t made = 0;
  static thread_local std::array<char, 64> text{};
  static thread_local std::size_t size = 0;
  const std::time_t now = std::time(nullptr);
  if (now != made) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    size = std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
    made = now;
  }
  return {text.data(), size};
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    default:
      return status_title(status);
  }
}

void append_number(std::string& text, std::uint64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

void append_header(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  const std::size_t begin = head.size();
  head += value;
  // A value comes from our own data, but never must it be able to start another header.
  if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
    std::replace_if(
        head.begin() + static_cast<std::ptrdiff_t>(begin), head.end(),
        [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  }
  head += "\r\n";
}

// What stands in every reply that has no headers of these names.
const std::string& security_lines() {
  static const std::string kLines = [] {
    std::string lines;
    for (const auto& [name, value] : security_headers()) {
      append_header(lines, name, value);
    }
    return lines;
  }();
  return kLines;
}

// Of two policies a browser would take what both allow, so a reply's own stands alone.
void append_security(std::string& head, const std::vector<NamedValue>& own) {
  const auto is_own = [&own](const NamedValue& header) {
    return std::ranges::find(own, header.first, &NamedValue::first) != own.end();
  };
  if (own.empty() || std::ranges::none_of(security_headers(), is_own)) {
    head += security_lines();
    return;
  }
  for (const NamedValue& header : security_headers()) {
    if (!is_own(header)) {
      append_header(head, header.first, header.second);
    }
  }
}

}  // namespace

// Into reply_head_.
void Connection::write_head(const Exchange& exchange, const Reply& reply, KeepAlive keep_alive) {
  const bool streams = reply.events || reply.pieces;
  const std::string_view body = reply.text();
  std::string& head = reply_head_;
  head.clear();
  if (reply.status == 200) {
    head += "HTTP/1.1 200 OK\r\n";
  } else {
    head += "HTTP/1.1 ";
    append_number(head, static_cast<std::uint64_t>(reply.status));
    head += ' ';
    head += reason_phrase(reply.status);
    head += "\r\n";
  }
  head += date_line();
  head += keep_alive == KeepAlive::yes ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  if (streams || reply.file || !body.empty()) {
    append_header(head, "Content-Type", reply.content_type);
  }
  if (streams) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (reply.status != 204 && reply.status != 304) {
    head += "Content-Length: ";
    append_number(head, reply.file ? static_cast<std::uint64_t>(reply.file->size_bytes)
                                   : static_cast<std::uint64_t>(body.size()));
    head += "\r\n";
  }
  append_security(head, reply.headers);
  if (stream_.tls() != nullptr) {
    head += "Strict-Transport-Security: max-age=31536000\r\n";
  }
  for (const auto& [name, value] : reply.headers) {
    append_header(head, name, value);
  }
  if (!exchange.request.context.request.empty()) {
    append_header(head, "X-Request-Id", exchange.request.context.request);
  }
  head += "\r\n";
}

// As much of head and body as the socket takes now; gives how much that was.
std::size_t Connection::write_at_once(std::string_view body) {
  if (stream_.tls() != nullptr) {
    return 0;
  }
  const std::array<asio::const_buffer, 2> both{asio::buffer(reply_head_),
                                               asio::buffer(body.data(), body.size())};
  ErrorOf error;
  const std::size_t written = stream_.socket().write_some(both, error);
  return error ? 0 : written;  // what is wrong shows again when the rest is written
}

// Whether there is room for an answer that its client has not taken yet; one that several share
// takes none. It is cut otherwise: the head is with the client already, and others have to be
// served.
bool Connection::hold_answer(Exchange& exchange, const Reply& reply) {
  if (reply.body.size() <= kWriteBytes) {
    return true;
  }
  if (!exchange.memory) {
    exchange.memory = shared_->bodies.hold(exchange.request.caller.token_id);
  }
  if (exchange.memory.add(reply.body.size()) == BodyMemory::Room::given) {
    return true;
  }
  log_warning(exchange.request.context, "answer_cut",
              {{"route", exchange.record.route},
               {"reason", "answers that clients have not taken hold all the memory they may"}});
  return false;
}

// What is left of head and body.
asio::awaitable<bool> Connection::write_rest(std::string_view body, std::size_t written) {
  const std::size_t head_size = reply_head_.size();
  if (written < head_size && body.size() <= kJoinedBytes) {
    reply_head_ += body;
    const bool whole = co_await write_text(std::string_view(reply_head_).substr(written));
    co_return whole;
  }
  if (written < head_size) {
    const bool begun = co_await write_text(std::string_view(reply_head_).substr(written));
    if (!begun) {
      co_return false;
    }
  }
  const std::size_t of_body = written < head_size ? 0 : written - head_size;
  const bool whole = co_await write_text(body.substr(of_body));
  co_return whole;
}

// One write under the deadline. A long text goes in pieces, so that the limit is one of silence and
// a slow but living client is not cut off.
asio::awaitable<bool> Connection::write_text(std::string_view text) {
  while (!text.empty()) {
    arm(shared_->options.limits.write_silence);
    const std::size_t size = std::min(text.size(), kWriteBytes);
    auto [error, bytes] =
        co_await asio::async_write(stream_, asio::buffer(text.data(), size), kToken);
    disarm();
    if (error) {
      peer_closed_ = true;
      co_return false;
    }
    text.remove_prefix(bytes);
  }
  co_return true;
}

}  // namespace hone
