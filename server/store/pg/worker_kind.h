// What tells kinds of workers apart, in SQL. For files of server/store/pg.
#pragma once

#include <string>

namespace hone {

// Expression over workers w (a text): equal for two workers exactly when any job that one may
// measure may be measured by the other: they meet the same requirements, and their self-checks put
// them out of rotation for the same targets.
std::string worker_kind_sql();

// SELECT of target and target_version: those that the worker with the number in `worker` (an SQL
// expression) may not measure for a while.
std::string unfit_targets_sql(const std::string& worker);

}  // namespace hone
