#include "server/store/pg/migrator.h"

#include <string>

#include "common/base/log.h"
#include "common/base/sha256.h"

namespace hone {
namespace {

// pg_advisory_lock's key: "hone" in ASCII.
constexpr std::string_view kLock = "SELECT pg_advisory_lock(1752133221)";
constexpr std::string_view kUnlock = "SELECT pg_advisory_unlock(1752133221)";

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
      return fail(ErrorCode::unsupported, "the database was migrated by a newer Hone (" + name +
                                              " is not known here): use that version");
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

Async<> apply(PgConnection& connection, std::int64_t version, Migration migration) {
  HONE_CO_CHECK(co_await connection.run("BEGIN"));
  PgOutcome<PgResult> done = co_await connection.run(std::string(migration.sql));
  if (done) {
    PgParams params;
    params.integer(version).text(migration.name).text(sha256_hex(migration.sql));
    done = co_await connection.execute(kRecord, params);
  }
  if (!done) {
    [[maybe_unused]] const PgOutcome<PgResult> undone = co_await connection.run("ROLLBACK");
    co_return done.error().to_error().within("migration " + std::string(migration.name));
  }
  HONE_CO_CHECK(co_await connection.run("COMMIT"));
  log_info("migration_applied", {{"name", migration.name}});
  co_return Result<void>();
}

Async<int> apply_missing(PgConnection& connection, const std::vector<Migration>& migrations) {
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
  // Waiting for another coordinator's migrations is no failure, nor is one that takes its time.
  HONE_CO_CHECK(co_await connection.run("SET statement_timeout = 0"));
  HONE_CO_CHECK(co_await connection.run(std::string(kLock)));
  Result<int> count = co_await apply_missing(connection, migrations);
  if (!connection.lost()) {
    [[maybe_unused]] const PgOutcome<PgResult> unlocked =
        co_await connection.run(std::string(kUnlock));
  }
  co_return count;
}

}  // namespace hone
