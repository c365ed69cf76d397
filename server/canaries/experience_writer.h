// A canary's delayed reward into the replay buffer, once it has ended. Not thread safe.
#pragma once

#include <span>

#include "server/rewards/sli_window.h"
#include "server/store/store.h"

namespace hone {

// Written already: nothing happens. Errors are the store's, and of what it holds.
Async<void> write_experience(Store& store, const CanaryView& canary, std::span<const double> bounds,
                             std::span<const SliWindow> series);

// Whether the same may succeed later though nobody mends anything: a database that is away or full,
// not a document that cannot be read or stored.
bool may_pass(ErrorCode code);

}  // namespace hone
