// What a backup must know of a database: its schema, what it names, how much is in it. Not thread
// safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/store/async.h"

namespace hone {

struct AppliedMigration {
  std::string name;
  std::string sha256;
  bool operator==(const AppliedMigration&) const = default;
};

struct StoredArtifact {
  std::string sha256;
  std::int64_t size_bytes = 0;
};

struct BackupFacts {
  std::string server_version;  // of PostgreSQL, "15.14"
  std::vector<AppliedMigration> migrations;
  std::map<std::string, std::int64_t> rows;  // of tables that are only added to
  std::vector<StoredArtifact> artifacts;
  std::uint32_t epoch = 0;  // the upper half of the next transaction's id
};

// As of one moment, over a connection of its own; migrates nothing. unsupported if there is no
// schema of ours, or that of a newer Hone.
Async<BackupFacts> read_backup_facts(boost::asio::any_io_executor executor,
                                     std::string database_url);

// Those that this program would apply.
std::vector<AppliedMigration> known_migrations();

// unsupported if `applied` is not how our own migrations begin: a newer Hone's, or another's.
Result<void> check_known(const std::vector<AppliedMigration>& applied);

}  // namespace hone
