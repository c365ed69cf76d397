#include "server/store/pg/worker_life.h"

#include <fmt/format.h>

#include "server/store/operations_store.h"

namespace hone {

std::string has_left_sql(const std::string& worker) {
  return fmt::format("coalesce({0}.left_at >= {0}.last_seen_at, false)", worker);
}

std::string is_there_sql(const std::string& worker) {
  return fmt::format(
      "(({0}.last_seen_at > now() - {1} * interval '1 second' OR EXISTS (SELECT FROM attempts held "
      "WHERE held.worker = {0}.number AND held.state = 'leased' AND held.expires_at > now())) AND "
      "NOT {2})",
      worker, kSilentSeconds, has_left_sql(worker));
}

}  // namespace hone
