// The writing half of a connection: whole replies, files, event streams, and the end of a refused
// body. HTTP's own framing is little here, so heads are written as text.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "common/base/log.h"
#include "common/protocol/problem.h"
#include "server/http/connection.h"
#include "server/http/security.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using ErrorOf = boost::system::error_code;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kFilePieceBytes = std::size_t{256} << 10U;

// "Date: Fri, 27 Nov 2026 23:18:07 GMT" (RFC 9110, IMF-fixdate).
std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 64> text{};
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
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

void append_header(std::string& head, std::string_view name, std::string_view value) {
  // A value comes from our own data, but never must it be able to start another header.
  head += fmt::format("{}: ", name);
  for (const char c : value) {
    head.push_back(c == '\r' || c == '\n' || c == '\0' ? ' ' : c);
  }
  head += "\r\n";
}

}  // namespace

asio::awaitable<bool> Connection::write_reply(Reply& reply, bool head_only, KeepAlive keep_alive) {
  const bool streams = reply.events || reply.pieces;
  const bool has_content = streams || reply.file || !reply.body.empty();
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason_phrase(reply.status));
  append_header(text, "Date", http_date());
  append_header(text, "Connection", keep_alive == KeepAlive::yes ? "keep-alive" : "close");
  if (has_content) {
    append_header(text, "Content-Type", reply.content_type);
  }
  if (streams) {
    append_header(text, "Transfer-Encoding", "chunked");
  } else if (reply.status != 204 && reply.status != 304) {
    append_header(text, "Content-Length",
                  std::to_string(reply.file ? reply.file->size_bytes
                                            : static_cast<std::int64_t>(reply.body.size())));
  }
  for (const auto& [name, value] : security_headers()) {
    // Of two policies a browser would take what both allow, so a reply's own stands alone.
    if (std::ranges::find(reply.headers, name, &NamedValue::first) == reply.headers.end()) {
      append_header(text, name, value);
    }
  }
  for (const auto& [name, value] : reply.headers) {
    append_header(text, name, value);
  }
  text += "\r\n";
  if (!head_only && !streams && !reply.file) {
    text += reply.body;
  }
  const bool written = co_await write_text(std::move(text));
  if (!written || head_only) {
    co_return written;
  }
  if (reply.file) {
    const bool whole = co_await write_file(*reply.file);
    co_return whole;
  }
  if (streams) {
    const bool whole = co_await write_stream(reply);
    co_return whole;
  }
  co_return true;
}

// One write under the deadline. A long text goes in pieces, so that the limit is one of silence and
// a slow but living client is not cut off.
asio::awaitable<bool> Connection::write_text(std::string text) {
  std::size_t written = 0;
  while (written < text.size()) {
    arm(shared_->options.limits.write_silence);
    const std::size_t size = std::min(text.size() - written, kFilePieceBytes);
    auto [error, bytes] =
        co_await asio::async_write(socket_, asio::buffer(text.data() + written, size), kToken);
    disarm();
    if (error) {
      peer_closed_ = true;
      co_return false;
    }
    written += bytes;
  }
  co_return true;
}

namespace {

// Fills `piece` from the file at `offset`; gives the bytes read, or -errno. Runs on a thread of the
// pool, since a read from disk may block.
asio::awaitable<ssize_t> read_piece(int file, char* piece, std::size_t size, std::int64_t offset) {
  ssize_t got = -1;
  do {
    got = pread(file, piece, size, offset);
  } while (got < 0 && errno == EINTR);
  co_return got < 0 ? -errno : got;
}

asio::thread_pool& disk_readers() {
  static asio::thread_pool pool(2);
  return pool;
}

}  // namespace

asio::awaitable<bool> Connection::write_file(FileBody& file) {
  std::string piece;
  for (std::int64_t offset = 0; offset < file.size_bytes;) {
    piece.resize(static_cast<std::size_t>(std::min<std::int64_t>(
        static_cast<std::int64_t>(kFilePieceBytes), file.size_bytes - offset)));
    asio::awaitable<ssize_t> reading =
        read_piece(file.file.get(), piece.data(), piece.size(), offset);
    const ssize_t got =
        co_await asio::co_spawn(disk_readers(), std::move(reading), asio::use_awaitable);
    if (got <= 0) {
      // The length was promised already: only a cut connection tells the client.
      log_error(context_, "file_read_failed", {{"errno", static_cast<std::int64_t>(-got)}});
      co_return false;
    }
    piece.resize(static_cast<std::size_t>(got));
    offset += got;
    const bool written = co_await write_text(std::move(piece));
    if (!written) {
      co_return false;
    }
    piece = std::string();
  }
  co_return true;
}

asio::awaitable<bool> Connection::write_stream(Reply& reply) {
  bool complete = false;
  try {
    asio::awaitable<bool> running = reply.events ? reply.events(*this) : reply.pieces(*this);
    complete = co_await std::move(running);
  } catch (const std::exception& error) {
    log_error(context_, "stream_failed", {{"reason", error.what()}});
  }
  if (!complete || gone()) {
    co_return false;  // no last chunk: the client sees that the stream was cut
  }
  const bool written = co_await write_text("0\r\n\r\n");
  co_return written;
}

asio::awaitable<bool> Connection::event(std::string id, std::string name, std::string data) {
  std::string text = fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, name, data);
  const bool written = co_await write_text(fmt::format("{:x}\r\n{}\r\n", text.size(), text));
  co_return written;
}

asio::awaitable<bool> Connection::heartbeat() {
  const bool written = co_await write_text("3\r\n:\n\n\r\n");
  co_return written;
}

asio::awaitable<bool> Connection::piece(std::string bytes) {
  if (gone()) {
    co_return false;
  }
  if (bytes.empty()) {
    co_return true;  // as a chunk it would be the last
  }
  const bool begun = co_await write_text(fmt::format("{:x}\r\n", bytes.size()));
  if (!begun) {
    co_return false;
  }
  bytes += "\r\n";
  const bool written = co_await write_text(std::move(bytes));
  co_return written;
}

// Closing with unread bytes in the socket would reset the connection, and the client, still busy
// sending, would lose the answer that tells it why. So: say that we are done, then read and drop
// for a while.
asio::awaitable<void> Connection::linger() {
  ErrorOf ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  piece_.resize(kFilePieceBytes);
  arm(shared_->options.limits.linger);
  for (;;) {
    auto [error, bytes] =
        co_await socket_.async_read_some(asio::buffer(piece_.data(), piece_.size()), kToken);
    if (error || deadline_passed_) {
      break;
    }
  }
  disarm();
}

}  // namespace hone
