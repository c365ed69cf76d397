// Collects artifacts that nobody refers to and nobody used for a while. Safe to run on several
// coordinators at once, beside uploads, and to be interrupted anywhere: the next run goes on.
#pragma once

#include <cstdint>

#include "server/store/artifact_index.h"
#include "server/store/artifacts/artifact_store.h"

namespace hone {

// The least age: far longer than from the answer that an artifact is there to the reference that
// is made because of it.
inline constexpr std::int64_t kLeastUnusedSeconds = 3'600;
inline constexpr std::int64_t kMostCollectedAtOnce = 1'000;

struct CollectOptions {
  std::int64_t unused_seconds = 7 * 86'400;  // since the last use; at least kLeastUnusedSeconds
  std::int64_t most = kMostCollectedAtOnce;  // of one run
};

struct Collected {
  ArtifactCount removed;
  std::int64_t failed = 0;  // their files could not be removed; logged, tried again by the next run
  bool more = false;        // there are more than a run takes
};

// Errors are the database's.
Async<Collected> collect_artifacts(ArtifactIndex& index, ArtifactStore& store,
                                   CollectOptions options);

}  // namespace hone
