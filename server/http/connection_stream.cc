// Replies that take their time: files, events, bodies in pieces. Of what a client does not take, no
// more is made or held than the piece that is being written.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "common/base/log.h"
#include "server/http/connection.h"

namespace hone {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kFilePieceBytes = std::size_t{256} << 10U;

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

asio::awaitable<bool> Connection::write_file(const FileBody& file) {
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
    const bool written = co_await write_text(piece);
    if (!written) {
      co_return false;
    }
  }
  co_return true;
}

asio::awaitable<bool> Connection::write_stream(const Reply& reply) {
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
  const std::string text = fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, name, data);
  const std::string chunk = fmt::format("{:x}\r\n{}\r\n", text.size(), text);
  const bool written = co_await write_text(chunk);
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
  const std::string begin = fmt::format("{:x}\r\n", bytes.size());
  const bool begun = co_await write_text(begin);
  if (!begun) {
    co_return false;
  }
  bytes += "\r\n";
  const bool written = co_await write_text(bytes);
  co_return written;
}

}  // namespace hone
