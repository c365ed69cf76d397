#include "server/store/cluster/private_cluster.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <system_error>
#include <thread>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/file.h"
#include "common/base/log.h"
#include "server/store/cluster/postmaster.h"

namespace hone {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kTick{20};
constexpr milliseconds kWatchTick{100};
constexpr seconds kFastShutdown{30};      // then it is made immediate
constexpr seconds kImmediateShutdown{8};  // then it is killed; it kills its own after 5 s
constexpr seconds kPredecessorNudge{2};   // a postmaster whose owner died has had its SIGINT
constexpr std::size_t kLogTail = 4096;

asio::awaitable<void> sleep_for(milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    return "killed by signal " + std::to_string(WTERMSIG(status));
  }
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

// What was appended to the log since it was `from` bytes long, at most the last few lines' worth.
std::string last_words(const fs::path& log, std::uintmax_t from) {
  const UniqueFd file(::open(log.c_str(), O_RDONLY | O_CLOEXEC));
  std::error_code error;
  const std::uintmax_t size = fs::file_size(log, error);
  if (!file || error) {
    return {};
  }
  if (size < from) {
    from = 0;  // started anew
  }
  std::string words(static_cast<std::size_t>(std::min<std::uintmax_t>(size - from, kLogTail)),
                    '\0');
  const ssize_t got =
      ::pread(file.get(), words.data(), words.size(), static_cast<off_t>(size - words.size()));
  words.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return words;
}

// One process at a time may run a cluster in a folder; the kernel frees the lock when that one
// dies.
Result<UniqueFd> lock_folder(const fs::path& folder) {
  const fs::path path = folder / "lock";
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock) {
    return system_error("cannot open " + path.string(), errno);
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorCode::conflict,
                "another process runs PostgreSQL in " + folder.string() + " already");
  }
  return lock;
}

}  // namespace

struct PrivateCluster::State {
  ClusterOptions options;
  ClusterUser user;
  ClusterPaths paths;
  UniqueFd lock;
  pid_t postmaster = 0;  // 0: none runs
  int status = 0;        // of the last one that ended
  bool stopping = false;

  // Whether no postmaster runs (any more). The one place that reaps.
  bool gone() {
    if (postmaster == 0) {
      return true;
    }
    const pid_t reaped = ::waitpid(postmaster, &status, WNOHANG);
    if (reaped == postmaster || (reaped < 0 && errno == ECHILD)) {
      postmaster = 0;
      return true;
    }
    return false;
  }

  void send(int signal) const {
    if (postmaster > 0) {
      ::kill(postmaster, signal);
    }
  }

  Async<void> end_predecessor();
  Async<void> start_once();
  asio::awaitable<bool> gone_within(milliseconds time);
};

asio::awaitable<bool> PrivateCluster::State::gone_within(milliseconds time) {
  const SteadyClock::time_point deadline = SteadyClock::now() + time;
  while (!gone()) {
    if (SteadyClock::now() >= deadline) {
      co_return false;
    }
    co_await sleep_for(kTick);
  }
  co_return true;
}

// A postmaster of an owner that died may still be shutting down (or, had it no signal from the
// kernel, running on). It is ended, not adopted: it is no child of ours, so we could neither wait
// for it nor would it die with us.
Async<void> PrivateCluster::State::end_predecessor() {
  const SteadyClock::time_point begun = SteadyClock::now();
  pid_t nudged = 0;
  bool hurried = false;
  while (true) {
    const std::optional<PostmasterFile> file = read_postmaster_file(paths);
    if (!file) {
      co_return Result<void>();
    }
    if (!is_postmaster_of(file->pid, paths)) {
      // Left by one that was killed. PostgreSQL would believe it if that process id is in use
      // again.
      log_info("stale_postmaster_file", {{"pid", std::int64_t{file->pid}}});
      std::error_code ignored;
      fs::remove(paths.data / "postmaster.pid", ignored);
      co_return Result<void>();
    }
    const auto waited = SteadyClock::now() - begun;
    if (nudged != file->pid && waited > kPredecessorNudge) {
      log_info("old_postmaster_stopped", {{"pid", std::int64_t{file->pid}}});
      ::kill(file->pid, SIGINT);
      nudged = file->pid;
    }
    if (!hurried && waited > kFastShutdown) {
      ::kill(file->pid, SIGQUIT);
      hurried = true;
    }
    if (waited > kFastShutdown + kImmediateShutdown) {
      co_return fail(ErrorCode::timed_out, "the old PostgreSQL (process " +
                                               std::to_string(file->pid) + ") in " +
                                               paths.folder.string() + " does not end");
    }
    co_await sleep_for(kTick);
  }
}

Async<void> PrivateCluster::State::start_once() {
  const SteadyClock::time_point deadline = SteadyClock::now() + options.start_timeout;
  while (true) {
    HONE_CO_CHECK(co_await end_predecessor());
    std::error_code ignored;  // no log yet
    std::uintmax_t log_size = fs::file_size(paths.log, ignored);
    log_size = ignored ? 0 : log_size;
    HONE_CO_TRY(postmaster, spawn_postmaster(options, paths, user));
    const pid_t started = postmaster;
    while (!gone()) {
      const std::optional<PostmasterFile> file = read_postmaster_file(paths);
      if (file && file->pid == started && file->ready) {
        log_info("cluster_started", {{"pid", std::int64_t{started}}});
        co_return Result<void>();
      }
      if (stopping || SteadyClock::now() >= deadline) {
        send(SIGQUIT);
        if (!co_await gone_within(kImmediateShutdown)) {
          send(SIGKILL);
          co_await gone_within(kImmediateShutdown);
        }
        if (stopping) {
          co_return fail(ErrorCode::cancelled, "PostgreSQL was stopped while it started");
        }
        co_return fail(ErrorCode::timed_out,
                       "PostgreSQL in " + paths.folder.string() + " was not ready after " +
                           std::to_string(options.start_timeout.count()) + " s");
      }
      co_await sleep_for(kTick);
    }
    const std::string words = last_words(paths.log, log_size);
    // Processes of one that was killed have not noticed yet; they do within moments.
    const bool passing = words.find("pre-existing shared memory block") != std::string::npos ||
                         words.find("lock file \"") != std::string::npos;
    if (!passing || stopping || SteadyClock::now() >= deadline) {
      co_return postgres_error("PostgreSQL did not start (" + describe_status(status) + ")", words,
                               paths.folder);
    }
    co_await sleep_for(kWatchTick);
  }
}

PrivateCluster::PrivateCluster(std::shared_ptr<State> state) : state_(std::move(state)) {}

Async<std::unique_ptr<PrivateCluster>> PrivateCluster::start(ClusterOptions options) {
  auto state = std::make_shared<State>();
  state->options = std::move(options);
  HONE_CO_TRY(state->user, cluster_user(state->options));
  HONE_CO_TRY(const ClusterPaths place, cluster_paths(state->options));
  HONE_CO_CHECK(make_cluster_folder(place, state->user));
  HONE_CO_TRY(state->lock, lock_folder(place.folder));
  state->paths = place;
  HONE_CO_CHECK(prepare_cluster(state->options, place, state->user));
  // From here on whatever runs is stopped by the destructor.
  std::unique_ptr<PrivateCluster> cluster(new PrivateCluster(state));
  HONE_CO_CHECK(co_await state->start_once());
  co_return cluster;
}

PrivateCluster::~PrivateCluster() {
  const auto gone_within = [this](milliseconds time) {
    const SteadyClock::time_point deadline = SteadyClock::now() + time;
    while (!state_->gone() && SteadyClock::now() < deadline) {
      std::this_thread::sleep_for(kTick);
    }
    return state_->gone();
  };
  state_->stopping = true;
  state_->send(SIGINT);
  if (gone_within(kFastShutdown)) {
    return;
  }
  state_->send(SIGQUIT);
  if (!gone_within(kImmediateShutdown)) {
    state_->send(SIGKILL);
    gone_within(kImmediateShutdown);
  }
}

std::string PrivateCluster::database_url() const {
  return cluster_database_url(state_->paths);
}

pid_t PrivateCluster::postmaster() const {
  return state_->postmaster;
}

Async<void> PrivateCluster::supervise() {
  const std::shared_ptr<State> state = state_;
  std::deque<SteadyClock::time_point> ends;
  while (!state->stopping) {
    if (!state->gone()) {
      co_await sleep_for(kWatchTick);
      continue;
    }
    const SteadyClock::time_point now = SteadyClock::now();
    ends.push_back(now);
    while (now - ends.front() > std::chrono::minutes(1)) {
      ends.pop_front();
    }
    log_error("cluster_ended", {{"end", describe_status(state->status)},
                                {"within_a_minute", static_cast<std::int64_t>(ends.size())}});
    if (static_cast<int>(ends.size()) > state->options.restarts) {
      co_return fail(ErrorCode::unavailable, "PostgreSQL ended " + std::to_string(ends.size()) +
                                                 " times within a minute; see " +
                                                 state->paths.log.string());
    }
    Result<void> started = co_await state->start_once();
    if (!started && !state->stopping) {
      log_error("cluster_restart_failed", {{"reason", started.error().message}});
      co_await sleep_for(kWatchTick * static_cast<int>(ends.size()));
    }
  }
  co_return Result<void>();
}

Async<void> PrivateCluster::stop() {
  return stop(kFastShutdown);
}

Async<void> PrivateCluster::stop(std::chrono::seconds patience) {
  const std::shared_ptr<State> state = state_;
  state->stopping = true;
  state->send(SIGINT);
  state->send(SIGCONT);  // one that is stopped hears nothing else
  bool ended = co_await state->gone_within(patience);
  if (!ended) {
    log_warning("cluster_stop_is_slow", {{"pid", std::int64_t{state->postmaster}}});
    state->send(SIGQUIT);
    ended = co_await state->gone_within(kImmediateShutdown);
  }
  if (!ended) {
    state->send(SIGKILL);
    ended = co_await state->gone_within(kImmediateShutdown);
  }
  if (!ended) {
    co_return fail(ErrorCode::timed_out, "PostgreSQL does not end");
  }
  state->lock.reset();
  co_return Result<void>();
}

}  // namespace hone
