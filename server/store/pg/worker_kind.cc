#include "server/store/pg/worker_kind.h"

#include "server/store/worker_fitness.h"

namespace hone {
namespace {

// Of worker_fitness f.
std::string is_unfit() {
  return "f.unfit_reason IS NOT NULL AND f.checked_at > now() - " + std::to_string(kUnfitSeconds) +
         " * interval '1 second'";
}

}  // namespace

std::string worker_kind_sql() {
  return "w.meets::text || coalesce((SELECT string_agg(f.target || '@' || f.target_version, ',' "
         "ORDER BY f.target, f.target_version) FROM worker_fitness f WHERE f.worker = w.number "
         "AND " +
         is_unfit() + "), '') || CASE WHEN t.confined THEN ' of ' || t.number ELSE '' END";
}

std::string unfit_targets_sql(const std::string& worker) {
  return "SELECT f.target, f.target_version FROM worker_fitness f WHERE f.worker = " + worker +
         " AND " + is_unfit();
}

}  // namespace hone
