#include "server/store/notifications.h"

#include <algorithm>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "server/store/pg/pg_connection.h"

namespace hone {
namespace {

namespace asio = boost::asio;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{2'000};

// In the order of Channel.
constexpr std::array<std::string_view, kChannels> kNames = {
    "hone_queue", "hone_events", "hone_campaigns", "hone_tokens", "hone_workers", "hone_policies"};

std::size_t index_of(Channel channel) {
  return static_cast<std::size_t>(channel);
}

}  // namespace

struct Notifications::State : std::enable_shared_from_this<Notifications::State> {
  State(const asio::any_io_executor& where, std::string database_url)
      : executor(where), url(std::move(database_url)), pause(where) {}

  void wake(std::size_t channel) {
    ++marks[channel];
    for (asio::steady_timer* waiter : waiters[channel]) {
      waiter->cancel();
    }
  }
  void wake_all() {
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      wake(channel);
    }
  }

  asio::awaitable<void> run();
  asio::awaitable<void> listen_once();

  asio::any_io_executor executor;
  std::string url;
  asio::steady_timer pause;
  std::unique_ptr<PgConnection> connection;
  std::array<std::uint64_t, kChannels> marks{};
  std::array<std::vector<asio::steady_timer*>, kChannels> waiters;
  bool standing = false;
  bool was_standing = false;
  bool stopped = false;
};

asio::awaitable<void> Notifications::State::listen_once() {
  PgConnectOptions options;
  options.url = url;
  PgOutcome<std::unique_ptr<PgConnection>> made =
      co_await PgConnection::connect(executor, std::move(options));
  if (!made || stopped) {
    co_return;
  }
  connection = *std::move(made);
  std::string sql;
  for (const std::string_view name : kNames) {
    sql += "LISTEN " + std::string(name) + ";";
  }
  PgOutcome<PgResult> listening = co_await connection->run(std::move(sql));
  if (!listening || stopped) {
    co_return;
  }
  // What changed while nobody listened is looked at now.
  standing = true;
  was_standing = true;
  wake_all();
  std::function<void(std::string_view)> notify = [this](std::string_view name) {
    const auto* found = std::find(kNames.begin(), kNames.end(), name);
    if (found != kNames.end()) {
      wake(static_cast<std::size_t>(found - kNames.begin()));
    }
  };
  const PgOutcome<> ended = co_await connection->listen(std::move(notify));
  standing = false;
  if (!stopped) {
    log_warning("notifications_lost", {{"reason", ended.error().message}});
  }
}

asio::awaitable<void> Notifications::State::run() {
  // Keeps this object while the coroutine lives, whatever becomes of its owner.
  const std::shared_ptr<State> self = shared_from_this();
  std::chrono::milliseconds wait = kFirstPause;
  while (!stopped) {
    was_standing = false;
    co_await listen_once();
    connection.reset();
    if (stopped) {
      break;
    }
    wait = was_standing ? kFirstPause : std::min(wait * 2, kLongestPause);
    pause.expires_after(wait);
    co_await pause.async_wait(kToken);
  }
}

Notifications::Notifications(const asio::any_io_executor& executor, std::string database_url)
    : state_(std::make_shared<State>(executor, std::move(database_url))) {
  asio::co_spawn(executor, state_->run(), asio::detached);
}

Notifications::~Notifications() {
  stop();
}

std::uint64_t Notifications::mark(Channel channel) const {
  return state_->marks[index_of(channel)];
}

asio::awaitable<bool> Notifications::wait(Channel channel, std::uint64_t mark,
                                          std::chrono::milliseconds timeout) {
  const std::shared_ptr<State> state = state_;
  std::vector<asio::steady_timer*>& waiters = state->waiters[index_of(channel)];
  if (state->marks[index_of(channel)] != mark) {
    co_return true;
  }
  if (state->stopped) {
    co_return false;
  }
  // Takes itself off the list also when this coroutine is destroyed while it waits.
  struct Entry {
    std::vector<asio::steady_timer*>& list;
    asio::steady_timer timer;
    ~Entry() { std::erase(list, &timer); }
  };
  Entry entry{waiters, asio::steady_timer(state->executor, timeout)};
  waiters.push_back(&entry.timer);
  co_await entry.timer.async_wait(kToken);
  co_return state->marks[index_of(channel)] != mark;
}

void Notifications::note(Channel channel) {
  state_->wake(index_of(channel));
}

bool Notifications::listening() const {
  return state_->standing;
}

void Notifications::stop() {
  if (state_->stopped) {
    return;
  }
  state_->stopped = true;
  state_->pause.cancel();
  if (state_->connection != nullptr) {
    state_->connection->interrupt();
  }
  for (std::vector<asio::steady_timer*>& waiters : state_->waiters) {
    for (asio::steady_timer* waiter : waiters) {
      waiter->cancel();
    }
  }
}

}  // namespace hone
