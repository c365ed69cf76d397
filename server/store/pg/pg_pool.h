// A bounded set of connections. Who finds none free waits in line, for a limited time. Each kind of
// work has some that the others cannot take (pg_lanes.h): who stands in line for more than its
// share does not hold up who stands behind.
//
// Connections are made when they are wanted and kept. One that broke, or that comes back in the
// middle of something, is dropped and replaced; while the server is down or recovering, connecting
// is tried again until the waiting time is over, so that a restart of the server is a delay and not
// a failure. Not thread safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/store/async.h"
#include "server/store/audit_store.h"
#include "server/store/lane.h"
#include "server/store/pg/pg_connection.h"

namespace hone {

struct PgPoolOptions {
  PgConnectOptions connect;
  std::size_t size = 8;
  std::chrono::milliseconds acquire_timeout{10'000};
};

struct PgPoolUse {
  std::size_t open = 0;
  std::size_t in_use = 0;
  std::size_t waiting = 0;
};

class PgPool {
  struct Core;
  struct Waiter;

 public:
  // A connection borrowed from the pool; goes back at the end of its life. May outlive the pool.
  class Lease {
   public:
    Lease(std::shared_ptr<Core> core, Lane lane);
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    PgConnection& operator*() const { return *connection_; }
    PgConnection* operator->() const { return connection_.get(); }
    void adopt(std::unique_ptr<PgConnection> connection);

   private:
    std::shared_ptr<Core> core_;
    Lane lane_;
    std::unique_ptr<PgConnection> connection_;
  };

  PgPool(boost::asio::any_io_executor executor, PgPoolOptions options);
  // The same connections for one change: what is changed through them leaves `entry` in the audit
  // log in the same transaction, or is not changed. Closes nothing at its end.
  PgPool(const PgPool& connections, AuditEntry entry);
  // The same connections for another kind of work. Closes nothing at its end.
  PgPool(const PgPool& connections, Lane lane);
  ~PgPool();
  PgPool(const PgPool&) = delete;
  PgPool& operator=(const PgPool&) = delete;

  // Waits for a free connection, then for one that stands. timed_out when none was free, the last
  // connection error when none could be made, unavailable after close().
  PgAsync<Lease> acquire();
  PgAsync<Lease> acquire(std::chrono::milliseconds timeout);

  // Runs one statement on any connection. One marked Repeat::safe is run once more if the
  // connection was lost under it. Where a change is to be audited it is a transaction of its own,
  // and a change if it touched a row.
  PgAsync<PgResult> execute(const PgStatement& statement, PgParams params);

  // From the next acquire() on connections take no writes (25006), or do again.
  void set_read_only(bool read_only);

  PgPoolUse use() const;
  const std::optional<AuditEntry>& audit() const { return audit_; }
  boost::asio::any_io_executor executor() const;
  // Eight hexadecimal digits that tell this database from others; empty until somebody said so. A
  // physical copy has its original's, a dump that was read in elsewhere has another.
  const std::string& database_id() const;
  void set_database_id(std::string id);
  // Fails everybody who waits and all later calls; connections are dropped as they come back.
  void close();
  // After close(): what runs on a connection fails, too, as if it was lost.
  void cut();

 private:
  PgAsync<PgResult> execute_audited(const PgStatement& statement, PgParams params);

  std::shared_ptr<Core> core_;
  Lane lane_ = Lane::ordinary;
  bool owner_ = false;  // closes the connections at its end
  std::optional<AuditEntry> audit_;
};

}  // namespace hone
