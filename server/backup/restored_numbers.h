// Numbers that a restored database goes on with, above all that the lost one may have given out
// after the backup was made: the ids of transactions, of which streams' cursors are made, and the
// sequences of policies. Thread safe.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/base/result.h"
#include "server/store/cluster/private_cluster.h"

namespace hone {

// The epoch (the upper half of transactions' 64-bit ids) for a database that is restored now from a
// backup in `epoch`. By the clock, since the same backup may be restored twice, and the cursors of
// both times are of one database. unsupported if there is no higher one.
Result<std::uint32_t> restored_epoch(std::uint32_t epoch,
                                     std::chrono::system_clock::time_point now);

// For PolicyStore::leave_gap(). By the clock likewise: a number for each millisecond.
std::int64_t restored_policy_gap(std::chrono::system_clock::time_point now);

// Sets the epoch of a cluster that was shut down in order. PostgreSQL itself keeps the lower half
// of ids in its tables, and says of pg_resetwal's -e that any value will work. The log of changes
// begins anew. io_failed, with PostgreSQL's words.
Result<void> set_epoch(const ClusterOptions& options, std::uint32_t epoch);

}  // namespace hone
