// What a queued job waits for, as of now: workers, or its turn. Not thread safe.
#pragma once

#include <cstdint>

#include "common/protocol/job.h"
#include "server/store/async.h"

namespace hone {

class PgPool;

// So many of the jobs before it are counted.
inline constexpr std::int64_t kMostAhead = 1000;

// Sets `waits`, `ahead` and `unmet` of the queued job with this number.
Async<void> tell_waits(PgPool& pool, std::int64_t number, JobView& job);

}  // namespace hone
