#include "server/store/pg/pg_connection.h"

#include <poll.h>

#include <array>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/text.h"
#include "server/store/async.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
// The server's own time limit should end a statement first; this is for a server that is gone
// without a word.
constexpr std::chrono::milliseconds kMargin{5'000};

void ignore_notice(void* /*unused*/, const PGresult* /*notice*/) {}

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace

PgConnection::PgConnection(const asio::any_io_executor& executor, PGconn* connection)
    : connection_(connection), socket_(executor), deadline_(executor) {}

PgConnection::~PgConnection() {
  stop_deadline();
  if (socket_.is_open()) {
    socket_.release();  // PQfinish closes it
  }
}

PgAsync<std::unique_ptr<PgConnection>> PgConnection::connect(asio::any_io_executor executor,
                                                             PgConnectOptions options) {
  // "dbname" is expanded as a connection string; what follows it wins over what it says.
  // A server that vanished without a word is noticed within a minute when nothing is sent, and
  // within 15 s when something is (milliseconds).
  const std::array<const char*, 8> names = {"dbname",
                                            "fallback_application_name",
                                            "client_encoding",
                                            "keepalives_idle",
                                            "keepalives_interval",
                                            "keepalives_count",
                                            "tcp_user_timeout",
                                            nullptr};
  const std::array<const char*, 8> values = {
      options.url.c_str(), "honed", "UTF8", "30", "10", "3", "15000", nullptr};
  std::unique_ptr<PgConnection> made(
      new PgConnection(executor, PQconnectStartParams(names.data(), values.data(), 1)));
  if (made->connection_ == nullptr) {
    co_return PgError{"", "out of memory", "", true, false};
  }
  PQsetNoticeReceiver(made->connection_.get(), ignore_notice, nullptr);
  made->start_deadline(options.connect_timeout);
  PgOutcome<> established = co_await made->establish();
  made->stop_deadline();
  if (!established) {
    co_return std::move(established).error();
  }
  made->command_limit_ = options.statement_timeout.count() > 0 ? options.statement_timeout + kMargin
                                                               : std::chrono::milliseconds(0);
  // The JIT compiler costs more than any of our statements takes.
  std::string session =
      "SET jit = off; SET statement_timeout = " + std::to_string(options.statement_timeout.count());
  PgOutcome<PgResult> set = co_await made->run(std::move(session));
  if (!set) {
    co_return std::move(set).error();
  }
  co_return made;
}

PgAsync<> PgConnection::establish() {
  if (PQstatus(connection_.get()) == CONNECTION_BAD) {
    co_return failure();
  }
  PostgresPollingStatusType wanted = PGRES_POLLING_WRITING;
  while (wanted != PGRES_POLLING_OK) {
    // libpq may change its socket in PQconnectPoll, even to another with the same number.
    socket_.assign(PQsocket(connection_.get()));
    const bool ready =
        co_await wait_for(wanted == PGRES_POLLING_READING ? stream_descriptor::wait_read
                                                          : stream_descriptor::wait_write);
    socket_.release();
    if (!ready) {
      co_return failure();
    }
    wanted = PQconnectPoll(connection_.get());
    if (wanted == PGRES_POLLING_FAILED) {
      co_return failure();
    }
  }
  socket_.assign(PQsocket(connection_.get()));
  PQsetnonblocking(connection_.get(), 1);
  co_return PgOutcome<>();
}

PgAsync<PgResult> PgConnection::execute(const PgStatement& statement, PgParams params) {
  const bool keeps_plan = statement.planning == Planning::kept;
  if (keeps_plan && !prepared_.contains(statement.name)) {
    if (PQsendPrepare(connection_.get(), statement.name.c_str(), statement.sql.c_str(), 0,
                      nullptr) == 0) {
      co_return failure();
    }
    PgOutcome<PgResult> prepared = co_await finish_command();
    if (!prepared) {
      prepared.error().message += " [preparing " + statement.name + "]";
      co_return std::move(prepared).error();
    }
    prepared_.insert(statement.name);
  }
  const std::vector<const char*> values = params.pointers();
  const int sent = keeps_plan
                       ? PQsendQueryPrepared(connection_.get(), statement.name.c_str(),
                                             params.size(), values.data(), nullptr, nullptr, 0)
                       : PQsendQueryParams(connection_.get(), statement.sql.c_str(), params.size(),
                                           nullptr, values.data(), nullptr, nullptr, 0);
  if (sent == 0) {
    co_return failure();
  }
  PgOutcome<PgResult> answer = co_await finish_command();
  if (!answer) {
    answer.error().message += " [" + statement.name + "]";
  }
  co_return answer;
}

PgAsync<PgResult> PgConnection::run(std::string sql) {
  if (PQsendQuery(connection_.get(), sql.c_str()) == 0) {
    co_return failure();
  }
  PgOutcome<PgResult> answer = co_await finish_command();
  co_return answer;
}

PgAsync<PgResult> PgConnection::copy_out(std::string sql, const CopySink& take) {
  if (PQsendQuery(connection_.get(), sql.c_str()) == 0) {
    co_return failure();
  }
  PgOutcome<PgResult> answer = co_await finish_command(&take);
  co_return answer;
}

asio::awaitable<bool> PgConnection::take_copy(const CopySink& take) {
  for (;;) {
    char* data = nullptr;
    const int size = PQgetCopyData(connection_.get(), &data, 1);
    if (size > 0) {
      const std::unique_ptr<char, decltype(&PQfreemem)> owned(data, &PQfreemem);
      take({data, static_cast<std::size_t>(size)});
      continue;
    }
    if (size < 0) {
      co_return true;  // over, or failed: the next result tells
    }
    const bool ready = co_await wait_for(stream_descriptor::wait_read);
    if (!ready || PQconsumeInput(connection_.get()) == 0) {
      co_return false;
    }
  }
}

PgAsync<PgResult> PgConnection::finish_command(const CopySink* take) {
  using asio::experimental::awaitable_operators::operator||;
  start_deadline(command_limit_);
  PGconn* connection = connection_.get();
  int unsent = PQflush(connection);
  while (unsent > 0) {
    // The server may have to get rid of output before it reads on.
    auto either = wait_for(stream_descriptor::wait_read) || wait_for(stream_descriptor::wait_write);
    const auto ready = co_await std::move(either);
    const bool readable = ready.index() == 0;
    if (timed_out_ || (readable && PQconsumeInput(connection) == 0)) {
      stop_deadline();
      co_return failure();
    }
    unsent = PQflush(connection);
  }
  PgResult last;
  PgError error;
  bool failed = unsent < 0;
  while (!failed) {
    while (PQisBusy(connection) != 0 && !failed) {
      const bool ready = co_await wait_for(stream_descriptor::wait_read);
      failed = !ready || PQconsumeInput(connection) == 0;
    }
    if (failed) {
      break;
    }
    PGresult* result = PQgetResult(connection);
    if (result == nullptr) {
      stop_deadline();
      if (!error.message.empty()) {
        co_return error;
      }
      co_return std::move(last);
    }
    PgResult owned(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY) {
      last = std::move(owned);
    } else if (status == PGRES_COPY_OUT && take != nullptr) {
      const bool taken = co_await take_copy(*take);
      failed = !taken;
    } else if (error.message.empty()) {
      error = failure(result);
    }
    if (PQstatus(connection) == CONNECTION_BAD) {
      // What it said last (for example 57P01, the administrator ended it) says more than "lost".
      stop_deadline();
      lost_ = true;
      error.connection_lost = true;
      if (error.message.empty()) {
        error = failure();
      }
      co_return error;
    }
  }
  stop_deadline();
  co_return failure();
}

PgAsync<> PgConnection::listen(std::function<void(std::string_view)> notify) {
  while (true) {
    while (PGnotify* notification = PQnotifies(connection_.get())) {
      notify(notification->relname);
      PQfreemem(notification);
    }
    const bool ready = co_await wait_for(stream_descriptor::wait_read);
    if (!ready || PQconsumeInput(connection_.get()) == 0 ||
        PQstatus(connection_.get()) == CONNECTION_BAD) {
      co_return failure();
    }
  }
}

void PgConnection::interrupt() {
  lost_ = true;
  socket_.cancel();
}

PgAsync<> PgConnection::set_read_only(bool read_only) {
  if (read_only != read_only_) {
    const PgOutcome<PgResult> set = co_await run(
        std::string("SET default_transaction_read_only = ") + (read_only ? "on" : "off"));
    if (!set) {
      co_return set.error();
    }
    read_only_ = read_only;
  }
  co_return PgOutcome<>();
}

bool PgConnection::idle() {
  PGconn* connection = connection_.get();
  if (lost_ || PQstatus(connection) != CONNECTION_OK ||
      PQtransactionStatus(connection) != PQTRANS_IDLE) {
    return false;
  }
  // Nothing is due between statements: what there is to read is the server's last word, or its end.
  pollfd waiting{PQsocket(connection), POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 0;
}

asio::awaitable<bool> PgConnection::wait_for(stream_descriptor::wait_type type) {
  if (timed_out_ || lost_) {
    co_return false;
  }
  const auto [error] = co_await socket_.async_wait(type, kToken);
  co_return !error && !timed_out_ && !lost_;
}

void PgConnection::start_deadline(std::chrono::milliseconds limit) {
  const int command = ++*command_;
  if (limit.count() <= 0) {
    return;
  }
  deadline_.expires_after(limit);
  deadline_.async_wait(
      [this, weak = std::weak_ptr<int>(command_), command](const boost::system::error_code& error) {
        const std::shared_ptr<int> current = weak.lock();
        // A command that ended meanwhile is not the one this was for.
        if (!error && current != nullptr && *current == command) {
          timed_out_ = true;
          socket_.cancel();
        }
      });
}

void PgConnection::stop_deadline() {
  ++*command_;
  deadline_.cancel();
}

PgError PgConnection::failure() {
  const bool timed_out = timed_out_;
  lost_ = true;
  if (timed_out) {
    return {"", "the server did not answer in time", "", true, true};
  }
  std::string message(trim(PQerrorMessage(connection_.get())));
  return {"", message.empty() ? "the connection was lost" : message, "", true, false};
}

PgError PgConnection::failure(const PGresult* result) {
  PgError error;
  error.sqlstate = field(result, PG_DIAG_SQLSTATE);
  error.message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string detail = field(result, PG_DIAG_MESSAGE_DETAIL);
  if (!detail.empty()) {
    error.message += ": " + detail;
  }
  error.constraint = field(result, PG_DIAG_CONSTRAINT_NAME);
  if (error.message.empty()) {
    error.message = std::string(trim(PQresultErrorMessage(result)));
  }
  if (error.message.empty()) {
    error.message = "an answer of status " + std::string(PQresStatus(PQresultStatus(result)));
  }
  if (PQstatus(connection_.get()) == CONNECTION_BAD || error.sqlstate.starts_with("57P0")) {
    lost_ = true;
    error.connection_lost = true;
  }
  return error;
}

}  // namespace hone
