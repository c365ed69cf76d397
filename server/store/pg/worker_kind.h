// What tells kinds of workers apart, in SQL. For files of server/store/pg.
#pragma once

#include <string>

namespace hone {

// Expression over workers w and their tokens t (a text): equal for two workers exactly when any job
// that one may measure may be measured by the other: they meet the same requirements, their
// self-checks put them out of rotation for the same targets, and they have the same token, if it is
// confined.
std::string worker_kind_sql();

// SELECT of target and target_version: those that the worker with the number in `worker` (an SQL
// expression) may not measure for a while.
std::string unfit_targets_sql(const std::string& worker);

}  // namespace hone
