#include "server/sessions/log_writer.h"

#include <algorithm>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"

namespace hone {
namespace {

namespace asio = boost::asio;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

// Whether another try may do: the database is away, busy or full. Everything else is the rows'.
bool may_pass(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::timed_out ||
         error.code == ErrorCode::io_failed;
}

}  // namespace

LogWriter::LogWriter(asio::any_io_executor executor, LogQueue& queue, LogSink sink,
                     LogWriterOptions options)
    : queue_(queue), sink_(std::move(sink)), options_(options), ended_(std::move(executor)) {
  ended_.expires_at(asio::steady_timer::time_point::max());
}

// Once what is counted; the counters say how many at any time.
void LogWriter::tell_dropped() {
  const LogCounts& counts = queue_.counts();
  const std::uint64_t dropped = counts.full + counts.refused + counts.left;
  if (dropped > told_) {
    log_warning("session_log_dropped", {{"rows", dropped - told_},
                                        {"all", dropped},
                                        {"waiting", static_cast<std::uint64_t>(queue_.rows())}});
    told_ = dropped;
  }
}

// False if the database does not answer.
asio::awaitable<bool> LogWriter::write_some() {
  LogBatch batch = queue_.first(singly_ > 0 ? 1 : options_.batch_rows, options_.batch_bytes);
  const std::size_t rows = batch.size();
  Async<void> writing = sink_(std::move(batch));
  const Result<void> done = co_await std::move(writing);
  if (!done && may_pass(done.error())) {
    if (failures_++ == 0) {
      log_warning("session_log_waits", {{"reason", done.error().message}});
    }
    co_return false;
  }
  failures_ = 0;
  if (done) {
    queue_.written(rows);
  } else if (rows > 1) {
    singly_ = rows;
    co_return true;
  } else {
    log_error("session_log_refused", {{"reason", done.error().describe()}});
    queue_.refused(1);
  }
  singly_ -= std::min(singly_, rows);
  co_return true;
}

asio::awaitable<void> LogWriter::run(Background& background) {
  running_ = true;
  for (;;) {
    tell_dropped();
    if (queue_.empty()) {
      if (background.stopping()) {
        break;
      }
      co_await background.sleep(options_.interval);
      continue;
    }
    const bool answered = co_await write_some();
    if (answered) {
      continue;
    }
    if (background.stopping()) {
      break;
    }
    const std::size_t doublings = std::min<std::size_t>(failures_ - 1, 16);
    const std::chrono::milliseconds pause = options_.first_pause * (std::int64_t{1} << doublings);
    co_await background.sleep(std::min(options_.longest_pause, pause));
  }
  queue_.give_up();
  tell_dropped();
  running_ = false;
  ended_.cancel();
}

asio::awaitable<void> LogWriter::finish(std::chrono::milliseconds limit) {
  if (running_) {
    ended_.expires_after(limit);
    co_await ended_.async_wait(kToken);
  }
}

}  // namespace hone
