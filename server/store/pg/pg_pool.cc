#include "server/store/pg/pg_pool.h"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "common/base/text.h"
#include "server/store/pg/pg_lanes.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{500};

PgError closed_error() {
  return {"", "the store was closed", "", true, false};
}

// What no waiting mends. The server tells it in words only, before there is a session.
bool is_hopeless(const PgError& error) {
  for (const std::string_view words :
       {"authentication failed", "does not exist", "no pg_hba.conf entry",
        "invalid connection option", "missing \"=\" after", "invalid port number",
        "no password supplied"}) {
    if (error.message.find(words) != std::string::npos) {
      return true;
    }
  }
  return false;
}

bool changes(const PgStatement& statement) {
  return !trim(statement.sql).starts_with("SELECT");
}

}  // namespace

// Somebody in line. `granted` is set by whoever frees a slot for it.
struct PgPool::Waiter {
  Waiter(const asio::any_io_executor& executor, Lane for_what) : timer(executor), lane(for_what) {}
  asio::steady_timer timer;
  Lane lane;
  bool granted = false;
};

struct PgPool::Core : std::enable_shared_from_this<PgPool::Core> {
  Core(asio::any_io_executor where, PgPoolOptions wanted)
      : executor(std::move(where)), options(std::move(wanted)), slots(options.size) {}

  // A slot is the right to hold one connection. A freed one goes to the first in line who may have
  // it: nobody waits while a slot is free for its lane.
  void free_slot(Lane lane) {
    slots.give_back(lane);
    const auto first = std::ranges::find_if(
        waiters, [this](const Waiter* waiter) { return slots.has_room(waiter->lane); });
    if (first != waiters.end()) {
      Waiter* waiter = *first;
      waiters.erase(first);
      slots.take(waiter->lane);
      waiter->granted = true;
      waiter->timer.cancel();
    }
  }

  void give_back(Lane lane, std::unique_ptr<PgConnection> connection) {
    std::erase(borrowed, connection.get());
    if (connection != nullptr && !closed && connection->idle()) {
      standing.push_back(std::move(connection));
    }
    connection.reset();
    free_slot(lane);
  }

  std::string database_id;
  asio::any_io_executor executor;
  PgPoolOptions options;
  std::vector<std::unique_ptr<PgConnection>> standing;  // idle ones, the last used at the back
  std::list<Waiter*> waiters;
  PgLanes slots;
  std::vector<PgConnection*> borrowed;  // in leases; a slot may have none yet
  bool read_only = false;
  bool closed = false;
};

namespace {

// Calls a function when its scope ends, however it does: a coroutine's frame may just be destroyed.
template <class Function>
class AtEnd {
 public:
  explicit AtEnd(Function function) : function_(std::move(function)) {}
  ~AtEnd() { function_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Function function_;
};

}  // namespace

PgPool::Lease::Lease(std::shared_ptr<Core> core, Lane lane) : core_(std::move(core)), lane_(lane) {}

void PgPool::Lease::adopt(std::unique_ptr<PgConnection> connection) {
  connection_ = std::move(connection);
  core_->borrowed.push_back(connection_.get());
}

PgPool::Lease::~Lease() {
  if (core_ != nullptr) {
    core_->give_back(lane_, std::move(connection_));
  }
}

PgPool::PgPool(asio::any_io_executor executor, PgPoolOptions options)
    : core_(std::make_shared<Core>(std::move(executor), std::move(options))), owner_(true) {}

PgPool::PgPool(const PgPool& connections, AuditEntry entry)
    : core_(connections.core_), lane_(connections.lane_), audit_(std::move(entry)) {}

PgPool::PgPool(const PgPool& connections, Lane lane) : core_(connections.core_), lane_(lane) {}

PgPool::~PgPool() {
  if (owner_) {
    close();
  }
}

PgAsync<PgPool::Lease> PgPool::acquire() {
  PgOutcome<Lease> lease = co_await acquire(core_->options.acquire_timeout);
  co_return lease;
}

PgAsync<PgPool::Lease> PgPool::acquire(std::chrono::milliseconds timeout) {
  const std::shared_ptr<Core> core = core_;
  const SteadyClock::time_point deadline = SteadyClock::now() + timeout;
  if (core->closed) {
    co_return closed_error();
  }
  const Lane lane = lane_;
  if (core->slots.has_room(lane)) {
    core->slots.take(lane);
  } else {
    Waiter waiter(core->executor, lane);
    waiter.timer.expires_at(deadline);
    core->waiters.push_back(&waiter);
    bool kept = false;
    const AtEnd leave([&core, &waiter, &kept, lane] {
      std::erase(core->waiters, &waiter);
      if (waiter.granted && !kept) {
        core->free_slot(lane);
      }
    });
    co_await waiter.timer.async_wait(kToken);
    if (core->closed) {
      co_return closed_error();
    }
    if (!waiter.granted) {
      co_return PgError{"", "no connection became free in time", "", false, true};
    }
    kept = true;
  }
  // From here on a slot is ours; the lease gives it back, whatever happens.
  Lease lease(core, lane);
  while (!core->standing.empty()) {
    std::unique_ptr<PgConnection> connection = std::move(core->standing.back());
    core->standing.pop_back();
    if (connection->idle()) {
      lease.adopt(std::move(connection));
      const PgOutcome<> set = co_await lease->set_read_only(core->read_only);
      if (!set) {
        co_return set.error();
      }
      co_return lease;
    }
  }
  std::chrono::milliseconds pause = kFirstPause;
  while (true) {
    PgConnectOptions options = core->options.connect;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now());
    options.connect_timeout =
        std::min(options.connect_timeout, std::max(left, std::chrono::milliseconds(1)));
    PgOutcome<std::unique_ptr<PgConnection>> made =
        co_await PgConnection::connect(core->executor, std::move(options));
    if (core->closed) {
      co_return closed_error();
    }
    if (made) {
      lease.adopt(*std::move(made));
      const PgOutcome<> set = co_await lease->set_read_only(core->read_only);
      if (!set) {
        co_return set.error();
      }
      co_return lease;
    }
    if (SteadyClock::now() + pause >= deadline || is_hopeless(made.error())) {
      co_return std::move(made).error();
    }
    log_debug("database_connect_failed", {{"reason", made.error().message}});
    asio::steady_timer timer(core->executor, pause);
    co_await timer.async_wait(kToken);
    pause = std::min(pause * 2, kLongestPause);
  }
}

PgAsync<PgResult> PgPool::execute_audited(const PgStatement& statement, PgParams params) {
  PgOutcome<PgTransaction> begun = co_await PgTransaction::begin(*this);
  if (!begun) {
    co_return std::move(begun).error();
  }
  PgTransaction transaction = *std::move(begun);
  PgOutcome<PgResult> answer = co_await transaction.execute(statement, std::move(params));
  if (!answer) {
    co_await transaction.rollback();
    co_return answer;
  }
  if (answer->empty() && answer->affected() == 0) {
    transaction.changed_nothing();
  }
  const PgOutcome<> committed = co_await transaction.commit();
  if (!committed) {
    co_return committed.error();
  }
  co_return answer;
}

PgAsync<PgResult> PgPool::execute(const PgStatement& statement, PgParams params) {
  if (audit_ && changes(statement)) {
    PgOutcome<PgResult> answer = co_await execute_audited(statement, std::move(params));
    co_return answer;
  }
  PgOutcome<Lease> lease = co_await acquire();
  if (!lease) {
    co_return std::move(lease).error();
  }
  PgOutcome<PgResult> answer = co_await (*lease)->execute(statement, params);
  if (!answer && answer.error().connection_lost && statement.repeat == Repeat::safe) {
    // The slot goes back first; the next connection is a fresh one.
    {
      const Lease lost = *std::move(lease);
    }
    PgOutcome<Lease> fresh = co_await acquire();
    if (!fresh) {
      co_return std::move(fresh).error();
    }
    PgOutcome<PgResult> second = co_await (*fresh)->execute(statement, std::move(params));
    co_return second;
  }
  co_return answer;
}

void PgPool::set_read_only(bool read_only) {
  core_->read_only = read_only;
}

PgPoolUse PgPool::use() const {
  const std::size_t in_use = core_->borrowed.size();
  return {in_use + core_->standing.size(), in_use, core_->waiters.size()};
}

asio::any_io_executor PgPool::executor() const {
  return core_->executor;
}

const std::string& PgPool::database_id() const {
  return core_->database_id;
}

void PgPool::set_database_id(std::string id) {
  core_->database_id = std::move(id);
}

void PgPool::close() {
  core_->closed = true;
  core_->standing.clear();
  for (Waiter* waiter : core_->waiters) {
    waiter->timer.cancel();
  }
}

void PgPool::cut() {
  for (PgConnection* connection : core_->borrowed) {
    connection->interrupt();
  }
}

}  // namespace hone
