// One connection to PostgreSQL whose waits are Asio waits on its socket: no thread ever blocks in
// libpq, but for the look-up of a host's name while connecting.
//
// One statement at a time. A coroutine that is destroyed in the middle of one leaves the connection
// not idle(): then it must be dropped. Not thread safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <libpq-fe.h>

#include "server/store/pg/pg_error.h"
#include "server/store/pg/pg_params.h"
#include "server/store/pg/pg_result.h"
#include "server/store/pg/pg_statement.h"

namespace hone {

struct PgConnectOptions {
  std::string url;
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds statement_timeout{30'000};  // in the server; 0: none
};

class PgConnection {
 public:
  // Connects and sets the session up (UTF-8, statement_timeout, no JIT).
  static PgAsync<std::unique_ptr<PgConnection>> connect(boost::asio::any_io_executor executor,
                                                        PgConnectOptions options);
  ~PgConnection();
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  // Runs a prepared statement, which must stay alive meanwhile; prepares it first if this
  // connection has not yet.
  PgAsync<PgResult> execute(const PgStatement& statement, PgParams params);
  // Runs plain SQL, several statements if it holds several; gives the last one's answer.
  PgAsync<PgResult> run(std::string sql);

  // Runs a COPY ... TO STDOUT and calls `take` with each piece of data that the server sends (a
  // row, in the binary format). Pieces that came before an error were given.
  PgAsync<PgResult> copy_out(std::string sql, const std::function<void(std::string_view)>& take);

  // Waits for notifications (after a LISTEN) and calls `notify` with each channel's name; returns
  // when the connection is lost.
  PgAsync<> listen(std::function<void(std::string_view)> notify);
  // Makes a running listen() return, and whatever else runs fail as if the connection was lost.
  void interrupt();

  // Whether the server refuses writes from this connection (SQLSTATE 25006) from its next
  // transaction on. Costs a round trip when it changes.
  PgAsync<> set_read_only(bool read_only);

  // Stands, outside a transaction, nothing under way. Notices a server that closed it meanwhile.
  bool idle();
  bool lost() const { return lost_; }
  int backend_pid() const { return PQbackendPID(connection_.get()); }

 private:
  PgConnection(const boost::asio::any_io_executor& executor, PGconn* connection);

  PgAsync<> establish();
  using CopySink = std::function<void(std::string_view)>;
  PgAsync<PgResult> finish_command(const CopySink* take = nullptr);
  // The data of a COPY under way; false when the connection is lost.
  boost::asio::awaitable<bool> take_copy(const CopySink& take);
  boost::asio::awaitable<bool> wait_for(boost::asio::posix::stream_descriptor::wait_type type);
  void start_deadline(std::chrono::milliseconds limit);
  void stop_deadline();
  PgError failure();
  PgError failure(const PGresult* result);

  struct Closer {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };

  std::unique_ptr<PGconn, Closer> connection_;
  boost::asio::posix::stream_descriptor socket_;  // libpq's, lent: never closed by Asio
  boost::asio::steady_timer deadline_;
  // What the deadline's handler may still touch: gone with the connection.
  std::shared_ptr<int> command_ = std::make_shared<int>(0);
  std::chrono::milliseconds command_limit_{0};
  std::unordered_set<std::string> prepared_;
  bool read_only_ = false;
  bool lost_ = false;
  bool timed_out_ = false;
};

}  // namespace hone
