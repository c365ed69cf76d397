// Writes the session log's queue to the database, in batches, one at a time.
//
// A database that does not answer is tried again, less and less often; what it refuses is tried row
// by row, so that one bad row costs itself alone. When honed stops, what waits is written first, as
// far as time allows. Not thread safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/jobs/background.h"
#include "server/sessions/log_queue.h"

namespace hone {

// TransitionStore::add(), or a test's.
using LogSink = std::function<Async<void>(LogBatch)>;

struct LogWriterOptions {
  std::chrono::milliseconds interval{500};  // between looks at an empty queue
  // A batch is made into one text on honed's one thread, which serves nobody meanwhile.
  std::size_t batch_rows = 256;
  std::size_t batch_bytes = std::size_t{2} << 20U;
  std::chrono::milliseconds first_pause{250};  // after a failure; doubles
  std::chrono::milliseconds longest_pause{10'000};
};

class LogWriter {
 public:
  LogWriter(boost::asio::any_io_executor executor, LogQueue& queue, LogSink sink,
            LogWriterOptions options = {});

  // Until `background` stops and nothing is left, or what is left cannot be written.
  boost::asio::awaitable<void> run(Background& background);
  // Waits, behind background's request_stop(), until run() has ended or for so long.
  boost::asio::awaitable<void> finish(std::chrono::milliseconds limit);

 private:
  boost::asio::awaitable<bool> write_some();
  void tell_dropped();

  LogQueue& queue_;
  LogSink sink_;
  LogWriterOptions options_;
  boost::asio::steady_timer ended_;
  bool running_ = false;
  std::size_t singly_ = 0;    // rows of a batch that was refused as a whole
  std::size_t failures_ = 0;  // in a row
  std::uint64_t told_ = 0;    // dropped rows that the log knows of
};

}  // namespace hone
