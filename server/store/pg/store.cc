#include "server/store/store.h"

#include <utility>
#include <variant>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "server/store/pg/migrator.h"
#include "server/store/pg/pg_pool.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kPingTimeout{3'000};

const PgStatement kPing{"ping", "SELECT 1", Repeat::safe};

// Transaction ids, which cursors hold, are a cluster's own.
const PgStatement kDatabaseId{"database_id", R"sql(
SELECT left(encode(sha256(convert_to(s.system_identifier || '/' || d.oid, 'UTF8')), 'hex'), 8) AS id
FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database())sql",
                              Repeat::safe};

Async<void> ask(PgPool& pool) {
  PgOutcome<PgPool::Lease> lease = co_await pool.acquire(kPingTimeout);
  if (!lease) {
    co_return lease.error().to_error();
  }
  HONE_CO_CHECK(co_await (*lease)->execute(kPing, PgParams()));
  co_return Result<void>();
}

}  // namespace

Store::Store(boost::asio::any_io_executor executor, StoreOptions options,
             std::unique_ptr<PgPool> pool)
    : pool_(std::move(pool)),
      work_(std::make_unique<PgPool>(*pool_, Lane::work)),
      reading_(std::make_unique<PgPool>(*pool_, Lane::reading)),
      notifications_(std::move(executor), std::move(options.database_url)),
      access_(*pool_),
      audit_(*pool_),
      tokens_(*work_),
      artifacts_(*pool_),
      uploads_(*pool_),
      targets_(*pool_),
      workers_(*pool_),
      claiming_workers_(*work_),
      campaigns_(*pool_),
      read_campaigns_(*reading_),
      canaries_(*pool_),
      services_(*pool_),
      jobs_(*pool_, options.retry),
      leased_jobs_(*work_, options.retry),
      read_jobs_(*reading_, options.retry),
      experiences_(*reading_),
      transitions_(*pool_),
      read_transitions_(*reading_),
      policies_(*pool_),
      policy_keys_(*pool_),
      events_(*pool_, notifications_),
      served_time_(*pool_),
      views_(*reading_),
      retention_(*pool_),
      operations_(*reading_) {}

Store::~Store() {
  close();
}

Async<std::unique_ptr<Store>> Store::open(boost::asio::any_io_executor executor,
                                          StoreOptions options) {
  // The database may go away under the migrations, too.
  const auto deadline = std::chrono::steady_clock::now() + options.connect_patience;
  std::string database_id;
  while (true) {
    // A pool of one of its own: migrations know no time limit, and its patience is another.
    PgPoolOptions once;
    once.connect.url = options.database_url;
    once.connect.statement_timeout = std::chrono::milliseconds(0);
    once.size = 1;
    once.acquire_timeout = options.connect_patience;
    PgPool first(executor, std::move(once));
    PgOutcome<PgPool::Lease> lease = co_await first.acquire();
    if (!lease) {
      co_return Error{
          ErrorCode::unavailable, "cannot connect to the database: " + lease.error().message, {}};
    }
    Result<int> migrated = co_await migrate(**lease, embedded_migrations());
    if (migrated) {
      const PgOutcome<PgResult> id = co_await (*lease)->execute(kDatabaseId, PgParams());
      if (id) {
        database_id = id->first().text("id");
      } else {
        // Some services hide it; then cursors do not say which database they are from.
        log_warning("database_id_unknown", {{"reason", id.error().message}});
      }
      break;
    }
    if (migrated.error().code != ErrorCode::unavailable || !(**lease).lost() ||
        std::chrono::steady_clock::now() > deadline) {
      co_return std::move(migrated).error();
    }
  }
  PgPoolOptions pool;
  pool.connect.url = options.database_url;
  pool.connect.statement_timeout = options.statement_timeout;
  pool.size = options.connections;
  pool.acquire_timeout = options.acquire_timeout;
  auto connections = std::make_unique<PgPool>(executor, std::move(pool));
  connections->set_database_id(std::move(database_id));
  co_return std::unique_ptr<Store>(new Store(executor, std::move(options), std::move(connections)));
}

Async<void> Store::ping() {
  using boost::asio::experimental::awaitable_operators::operator||;
  // A database that hangs holds on to the statement: its own limit is for statements that work.
  boost::asio::steady_timer timer(pool_->executor(), kPingTimeout);
  auto either = ask(*work_) || timer.async_wait(boost::asio::use_awaitable);
  auto first = co_await std::move(either);
  if (first.index() == 1) {
    co_return fail(ErrorCode::unavailable, "the database does not answer");
  }
  co_return std::get<0>(std::move(first));
}

PoolUse Store::pool_use() const {
  const PgPoolUse use = pool_->use();
  return {use.open, use.in_use, use.waiting};
}

void Store::set_read_only(bool read_only) {
  pool_->set_read_only(read_only);
}

void Store::close() {
  notifications_.stop();
  pool_->close();
}

void Store::cut() {
  pool_->cut();
}

}  // namespace hone
