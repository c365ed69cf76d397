#include "staging/counters/log_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <thread>

namespace hone {
namespace {

// How long the end of the run waits for the reader at most.
constexpr int kTickMilliseconds = 10;

}  // namespace

class LogPipe::Reader {
 public:
  Reader(UniqueFd pipe, std::function<void(std::string_view)> take)
      : pipe_(std::move(pipe)), take_(std::move(take)) {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        pollfd wait = {pipe_.get(), POLLIN, 0};
        poll(&wait, 1, kTickMilliseconds);
        drain();
      }
      drain();
    });
  }
  ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

 private:
  void drain() {
    char piece[65536];
    while (true) {
      const ssize_t got = read(pipe_.get(), piece, sizeof piece);
      if (got <= 0) {
        if (got < 0 && errno == EINTR) {
          continue;
        }
        return;  // nothing more by now; it has no end while we hold it open for writing
      }
      add({piece, static_cast<std::size_t>(got)});
    }
  }

  void add(std::string_view text) {
    for (const char c : text) {
      if (c == '\n') {
        take_(line_);
        line_.clear();
      } else if (line_.size() < PIPE_BUF) {
        line_.push_back(c);
      }
    }
  }

  UniqueFd pipe_;
  std::function<void(std::string_view)> take_;
  std::string line_;
  std::jthread thread_;  // last: it ends before the rest goes
};

LogPipe::LogPipe(std::filesystem::path path, std::unique_ptr<Reader> reader)
    : path_(std::move(path)), reader_(std::move(reader)) {}

LogPipe::LogPipe(LogPipe&&) noexcept = default;

LogPipe::~LogPipe() {
  close();
}

Result<LogPipe> LogPipe::open(const std::filesystem::path& path,
                              std::function<void(std::string_view)> take) {
  unlink(path.c_str());
  // chmod, since the mask of this process may take rights away.
  if (mkfifo(path.c_str(), 0600) != 0 || chmod(path.c_str(), 0622) != 0) {
    return system_error("cannot make the pipe " + path.string(), errno);
  }
  // For writing, too: then writers neither wait for a reader nor does the last one end it.
  UniqueFd pipe(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!pipe) {
    const int reason = errno;
    unlink(path.c_str());
    return system_error("cannot open the pipe " + path.string(), reason);
  }
  return LogPipe(path, std::make_unique<Reader>(std::move(pipe), std::move(take)));
}

void LogPipe::close() {
  if (reader_) {
    reader_.reset();
    unlink(path_.c_str());
  }
}

}  // namespace hone
