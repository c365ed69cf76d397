#include "server/store/pg/migrator.h"

#include <chrono>
#include <string>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "common/base/sha256.h"

namespace hone {
namespace {

// pg_advisory_lock's key: "hone" in ASCII.
constexpr std::string_view kTryLock = "SELECT pg_try_advisory_lock(1752133221) AS got";
constexpr std::string_view kLock = "SELECT pg_advisory_lock(1752133221)";
constexpr std::string_view kUnlock = "SELECT pg_advisory_unlock(1752133221)";

// A migration that changes a table waits for everybody who uses it, and everybody who comes later
// waits behind it. So it gives up soon, lets them pass, and tries again.
constexpr std::string_view kLimits = "SET statement_timeout = 0; SET lock_timeout = '2s'";
constexpr int kTries = 30;
constexpr std::chrono::milliseconds kPause{500};

constexpr std::string_view kCreateTable = R"sql(
CREATE TABLE IF NOT EXISTS schema_migrations (
  version integer PRIMARY KEY,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE schema_migrations IS 'Which migrations were applied, with the hash of their text then')sql";

const PgStatement kApplied{"migrations_applied",
                           "SELECT version, name, sha256 FROM schema_migrations ORDER BY version",
                           Repeat::safe};
const PgStatement kRecord{"migration_record",
                          "INSERT INTO schema_migrations (version, name, sha256) "
                          "VALUES ($1, $2, $3)",
                          Repeat::unsafe};

Result<void> check_applied(const PgResult& applied, const std::vector<Migration>& migrations) {
  for (int i = 0; i < applied.size(); ++i) {
    const PgRow row = applied.row(i);
    const auto index = static_cast<std::size_t>(i);
    const std::string name = row.text("name");
    if (index >= migrations.size() || row.integer("version") != i + 1) {
      return fail(
          ErrorCode::unsupported,
          "the database was migrated by a newer Hone: " + name +
              " is not known to this honed, which knows " +
              (migrations.empty() ? "none" : "up to " + std::string(migrations.back().name)) +
              ". Start a honed of that version or a later one; to go back to this one, "
              "restore a backup that was made before the upgrade");
    }
    const Migration& ours = migrations[index];
    if (row.view("sha256") != sha256_hex(ours.sql)) {
      return fail(ErrorCode::unsupported,
                  "migration " + name +
                      " was changed since the database was made with it (ours is " +
                      std::string(ours.name) + "): use the version of Hone that made it");
    }
  }
  return {};
}

PgAsync<> try_to_apply(PgConnection& connection, std::int64_t version, const Migration& migration) {
  PgOutcome<PgResult> done = co_await connection.run("BEGIN");
  if (done) {
    done = co_await connection.run(std::string(migration.sql));
  }
  if (done) {
    PgParams params;
    params.integer(version).text(migration.name).text(sha256_hex(migration.sql));
    done = co_await connection.execute(kRecord, std::move(params));
  }
  if (!done) {
    if (!connection.lost()) {
      [[maybe_unused]] const PgOutcome<PgResult> undone = co_await connection.run("ROLLBACK");
    }
    co_return std::move(done).error();
  }
  PgOutcome<PgResult> committed = co_await connection.run("COMMIT");
  if (!committed) {
    co_return std::move(committed).error();
  }
  co_return PgOutcome<>();
}

Async<> apply(PgConnection& connection, std::int64_t version, Migration migration) {
  for (int number = 1;; ++number) {
    const PgOutcome<> applied = co_await try_to_apply(connection, version, migration);
    if (applied) {
      log_info("migration_applied", {{"name", migration.name}, {"tries", number}});
      co_return Result<void>();
    }
    const PgError& error = applied.error();
    const bool is_in_the_way = error.sqlstate == "55P03" || error.is_transient();
    if (!is_in_the_way || number == kTries) {
      co_return error.to_error().within("migration " + std::string(migration.name));
    }
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, kPause);
    co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
}

const PgStatement kPlace{"migration_place", R"sql(
SELECT current_setting('server_encoding') AS encoding, current_database() AS database,
       current_user AS role, coalesce(current_schema(), '') AS schema,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create)sql",
                         Repeat::safe};

// What a migration in the middle of the list would say in the server's words.
Result<void> check_place(const PgRow& place) {
  const std::string database = place.text("database");
  const std::string encoding = place.text("encoding");
  const std::string role = place.text("role");
  const std::string schema = place.text("schema");
  if (encoding != "UTF8") {
    return fail(ErrorCode::unsupported,
                "the database " + database + " has the encoding " + encoding +
                    ": Hone needs UTF8. Make another one for it: createdb --encoding=UTF8 "
                    "--template=template0 --owner=" +
                    role + " NAME");
  }
  if (schema.empty()) {
    return fail(ErrorCode::permission_denied,
                "the database " + database + " has no schema that the role " + role +
                    " may use (its search_path names none): as a superuser, CREATE SCHEMA \"" +
                    role + "\" AUTHORIZATION \"" + role + "\"");
  }
  if (!place.truth("may_create")) {
    return fail(ErrorCode::permission_denied,
                "the role " + role + " may not make tables in the schema " + schema +
                    " of the database " + database + ": as its owner, GRANT CREATE ON SCHEMA \"" +
                    schema + "\" TO \"" + role + "\", or ALTER DATABASE \"" + database +
                    "\" OWNER TO \"" + role + "\"");
  }
  return {};
}

Async<int> apply_missing(PgConnection& connection, const std::vector<Migration>& migrations) {
  HONE_CO_TRY(const PgResult place, co_await connection.execute(kPlace, PgParams()));
  HONE_CO_CHECK(check_place(place.first()));
  HONE_CO_CHECK(co_await connection.run(std::string(kCreateTable)));
  HONE_CO_TRY(const PgResult applied, co_await connection.execute(kApplied, PgParams()));
  HONE_CO_CHECK(check_applied(applied, migrations));
  int count = 0;
  for (std::size_t i = static_cast<std::size_t>(applied.size()); i < migrations.size(); ++i) {
    Result<void> done = co_await apply(connection, static_cast<std::int64_t>(i + 1), migrations[i]);
    HONE_CO_CHECK(done);
    ++count;
  }
  co_return count;
}

}  // namespace

Async<int> migrate(PgConnection& connection, const std::vector<Migration>& migrations) {
  HONE_CO_TRY(const PgResult got, co_await connection.run(std::string(kTryLock)));
  if (!got.first().truth("got")) {
    // That is no failure, nor are migrations that take their time.
    log_info("waiting_for_migrations", {{"reason", "another honed applies them"}});
    HONE_CO_CHECK(co_await connection.run("SET statement_timeout = 0; SET lock_timeout = 0"));
    HONE_CO_CHECK(co_await connection.run(std::string(kLock)));
  }
  HONE_CO_CHECK(co_await connection.run(std::string(kLimits)));
  Result<int> count = co_await apply_missing(connection, migrations);
  if (!connection.lost()) {
    [[maybe_unused]] const PgOutcome<PgResult> unlocked =
        co_await connection.run(std::string(kUnlock));
  }
  co_return count;
}

}  // namespace hone
