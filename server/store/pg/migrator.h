// Brings a database up to the schema this program knows: forward only, each migration once, in its
// own transaction, under an advisory lock so that coordinators may start together.
#pragma once

#include <string_view>
#include <vector>

#include "server/store/async.h"
#include "server/store/pg/pg_connection.h"

namespace hone {

struct Migration {
  std::string_view name;  // file name, "0001_registry.sql"; the number counts up without gaps
  std::string_view sql;
};

// Those of server/store/migrations, embedded by the build, in order.
const std::vector<Migration>& embedded_migrations();

// Applies what is missing; gives how many were applied. Waits while another honed applies its own.
// A migration that cannot have a table's lock within 2 s lets its users pass and tries again, 30
// times in all: honeds of the release before go on meanwhile. unsupported if the database has a
// migration that is not in the list (a newer Hone was here), or one whose text differs from ours,
// or another encoding than UTF8; permission_denied if no table may be made there. A failing one is
// rolled back and named.
Async<int> migrate(PgConnection& connection, const std::vector<Migration>& migrations);

}  // namespace hone
