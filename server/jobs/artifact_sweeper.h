// Housekeeping of artifacts: collects those that nobody needs. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/store/artifacts/artifacts.h"
#include "server/store/store.h"

namespace hone {

struct ArtifactSweeperOptions {
  std::int64_t unused_days = 7;  // 0: nothing is collected
  std::chrono::milliseconds first{60'000};
  std::chrono::milliseconds interval{3'600'000};
};

// Runs until `background` stops. What fails is logged and tried again the next time.
boost::asio::awaitable<void> sweep_artifacts(Store& store, Artifacts& artifacts,
                                             Background& background,
                                             ArtifactSweeperOptions options);

}  // namespace hone
