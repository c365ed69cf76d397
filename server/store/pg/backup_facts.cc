#include "server/store/backup_facts.h"

#include "common/base/sha256.h"
#include "server/store/pg/migrator.h"
#include "server/store/pg/pg_connection.h"

namespace hone {
namespace {

const PgStatement kHasSchema{"backup_has_schema",
                             "SELECT to_regclass('schema_migrations') IS NOT NULL AS here, "
                             "current_setting('server_version') AS version, "
                             "pg_snapshot_xmax(pg_current_snapshot()) AS next",
                             Repeat::safe};
const PgStatement kMigrations{"backup_migrations",
                              "SELECT name, sha256 FROM schema_migrations ORDER BY version",
                              Repeat::safe};
const PgStatement kRows{"backup_rows", R"sql(
SELECT 'targets' AS name, count(*) AS rows FROM targets
UNION ALL SELECT 'target_versions', count(*) FROM target_versions
UNION ALL SELECT 'tokens', count(*) FROM tokens
UNION ALL SELECT 'campaigns', count(*) FROM campaigns
UNION ALL SELECT 'policies', count(*) FROM policies
UNION ALL SELECT 'jobs', count(*) FROM jobs
UNION ALL SELECT 'results', count(*) FROM results
UNION ALL SELECT 'experiences', count(*) FROM experiences)sql",
                        Repeat::safe};
const PgStatement kArtifacts{
    "backup_artifacts",
    "SELECT sha256, size_bytes FROM artifacts WHERE state = 'kept' ORDER BY sha256", Repeat::safe};

Async<BackupFacts> read_in(PgConnection& connection) {
  BackupFacts facts;
  HONE_CO_TRY(const PgResult schema, co_await connection.execute(kHasSchema, PgParams()));
  if (!schema.first().truth("here")) {
    co_return fail(ErrorCode::unsupported, "the database holds nothing of Hone");
  }
  facts.server_version = schema.first().text("version");
  facts.epoch = static_cast<std::uint32_t>(schema.first().unsigned_integer("next") >> 32U);
  HONE_CO_TRY(const PgResult applied, co_await connection.execute(kMigrations, PgParams()));
  for (int i = 0; i < applied.size(); ++i) {
    facts.migrations.push_back({applied.row(i).text("name"), applied.row(i).text("sha256")});
  }
  HONE_CO_CHECK(check_known(facts.migrations));
  HONE_CO_TRY(const PgResult rows, co_await connection.execute(kRows, PgParams()));
  for (int i = 0; i < rows.size(); ++i) {
    facts.rows[rows.row(i).text("name")] = rows.row(i).integer("rows");
  }
  HONE_CO_TRY(const PgResult artifacts, co_await connection.execute(kArtifacts, PgParams()));
  for (int i = 0; i < artifacts.size(); ++i) {
    facts.artifacts.push_back(
        {artifacts.row(i).text("sha256"), artifacts.row(i).integer("size_bytes")});
  }
  co_return facts;
}

}  // namespace

Async<BackupFacts> read_backup_facts(boost::asio::any_io_executor executor,
                                     std::string database_url) {
  PgConnectOptions options;
  options.url = std::move(database_url);
  options.statement_timeout = std::chrono::milliseconds(0);
  PgOutcome<std::unique_ptr<PgConnection>> connected =
      co_await PgConnection::connect(std::move(executor), std::move(options));
  HONE_CO_TRY(const std::unique_ptr<PgConnection> connection, std::move(connected));
  HONE_CO_CHECK(co_await connection->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  Result<BackupFacts> facts = co_await read_in(*connection);
  co_return facts;
}

std::vector<AppliedMigration> known_migrations() {
  std::vector<AppliedMigration> known;
  for (const Migration& migration : embedded_migrations()) {
    known.push_back({std::string(migration.name), sha256_hex(migration.sql)});
  }
  return known;
}

Result<void> check_known(const std::vector<AppliedMigration>& applied) {
  const std::vector<AppliedMigration> known = known_migrations();
  for (std::size_t i = 0; i < applied.size(); ++i) {
    if (i >= known.size() || !(known[i] == applied[i])) {
      return fail(ErrorCode::unsupported,
                  "its schema has migration " + applied[i].name +
                      ", which this honed does not know as that: use the version of Hone that made "
                      "it, or a newer one");
    }
  }
  return {};
}

}  // namespace hone
