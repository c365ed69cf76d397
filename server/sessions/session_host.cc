#include "server/sessions/session_host.h"

#include <unistd.h>

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

#include "common/base/log.h"
#include "common/sessions/session_program.h"

namespace hone {
namespace {

namespace asio = boost::asio;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

constexpr std::size_t kReadBytes = 8192;

Error ended() {
  return fail(ErrorCode::unavailable, "the session server has ended, and all sessions with it");
}

// Someone who waits for a reply; gone with the coroutine that waits.
struct Waiter {
  explicit Waiter(const asio::any_io_executor& executor)
      : timer(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer timer;  // cancelled when there is a result
  std::optional<Result<SealedReply>> result;
};

}  // namespace

struct SessionHost::State : std::enable_shared_from_this<SessionHost::State> {
  State(asio::any_io_executor where, SessionHostOptions wanted, std::function<void()> when_lost)
      : executor(std::move(where)),
        options(std::move(wanted)),
        lost(std::move(when_lost)),
        socket(executor) {}

  Result<void> start() {
    if (process > 0) {
      return {};
    }
    if (stopped) {
      return fail(ErrorCode::unavailable, "honed is stopping, and its sessions have ended");
    }
    HONE_TRY(const SessionProgram started, start_session_program(options.program, options.options));
    boost::system::error_code failed;
    socket.assign(asio::local::stream_protocol(), started.socket, failed);
    if (failed) {
      close(started.socket);
      return fail(ErrorCode::io_failed, "the session server's socket: " + failed.message());
    }
    process = started.process;
    ++run;
    writing = false;
    outbox.clear();
    asio::co_spawn(executor, read_replies(shared_from_this(), run), asio::detached);
    log_info("session_server_started", {{"process", process}});
    return {};
  }

  void send(std::string line) {
    outbox.push_back(std::move(line));
    if (!writing) {
      writing = true;
      asio::co_spawn(executor, write_requests(shared_from_this(), run), asio::detached);
    }
  }

  // The state is named by the coroutines' frames, so that it outlives what is under way. What a run
  // of the program began and is resumed in a later one must leave that one alone.
  static asio::awaitable<void> write_requests(std::shared_ptr<State> state, std::uint64_t mine) {
    while (state->run == mine && !state->outbox.empty()) {
      const std::string line = std::move(state->outbox.front());
      state->outbox.pop_front();
      const auto [failed, size] =
          co_await asio::async_write(state->socket, asio::buffer(line), kToken);
      if (failed && state->run == mine) {
        state->end();
      }
    }
    if (state->run == mine) {
      state->writing = false;
    }
  }

  static asio::awaitable<void> read_replies(std::shared_ptr<State> state, std::uint64_t mine) {
    std::string buffer;
    buffer.reserve(kReadBytes);  // or it reads 512 bytes at a time
    while (state->run == mine) {
      const auto [failed, size] = co_await asio::async_read_until(
          state->socket, asio::dynamic_buffer(buffer, kMaxReplyLineBytes + 1), '\n', kToken);
      if (state->run != mine) {
        co_return;
      }
      if (failed) {
        state->end();
        co_return;
      }
      state->take(std::string_view(buffer).substr(0, size));
      buffer.erase(0, size);
    }
  }

  void take(std::string_view line) {
    Result<SealedReply> reply = parse_sealed_reply(line.substr(0, line.size() - 1));
    if (!reply) {
      log_error("session_reply_not_understood", {{"why", reply.error().describe()}});
      end();
      return;
    }
    const auto waiter = waiters.find(reply->head.id);
    if (waiter == waiters.end()) {
      return;  // who asked has gone
    }
    waiter->second->result =
        reply->head.error ? Result<SealedReply>(*reply->head.error) : std::move(reply);
    waiter->second->timer.cancel();
  }

  void end() {
    if (process <= 0) {
      return;
    }
    ++run;
    boost::system::error_code ignored;
    socket.close(ignored);
    const int status = end_session_program(std::exchange(process, -1));
    log_warning("session_server_ended", {{"status", status}, {"waiting", waiters.size()}});
    for (const auto& [id, waiter] : waiters) {
      waiter->result = ended();
      waiter->timer.cancel();
    }
    if (lost) {
      lost();
    }
  }

  asio::any_io_executor executor;
  SessionHostOptions options;
  std::function<void()> lost;
  asio::local::stream_protocol::socket socket;
  pid_t process = -1;
  std::uint64_t run = 0;  // another with each start and each end
  std::deque<std::string> outbox;
  bool writing = false;
  bool stopped = false;
  std::map<std::int64_t, Waiter*> waiters;
  std::int64_t last_id = 0;
};

SessionHost::SessionHost(asio::any_io_executor executor, SessionHostOptions options,
                         std::function<void()> lost)
    : state_(std::make_shared<State>(std::move(executor), std::move(options), std::move(lost))) {}

SessionHost::~SessionHost() {
  state_->lost = nullptr;
  state_->end();
}

Async<SealedReply> SessionHost::ask(SessionRequest request) {
  const std::shared_ptr<State> state = state_;
  HONE_CO_CHECK(state->start());
  request.id = ++state->last_id;
  Waiter waiter(state->executor);
  struct Place {
    State& state;
    std::int64_t id;
    ~Place() { state.waiters.erase(id); }
  } const place{*state, request.id};
  state->waiters[request.id] = &waiter;
  state->send(to_line(request) + "\n");
  if (!waiter.result) {
    co_await waiter.timer.async_wait(kToken);
  }
  if (!waiter.result) {
    co_return fail(ErrorCode::cancelled, "stopped before the session answered");
  }
  co_return *std::move(waiter.result);
}

void SessionHost::stop() {
  state_->stopped = true;
  state_->end();
}

pid_t SessionHost::process() const {
  return state_->process;
}

}  // namespace hone
