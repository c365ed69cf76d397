// Several coordinators of one database: whether this one's settings are the others'.
//
// A small random file lies among the artifacts under its hash, which stands in the database. Who
// does not find it there keeps artifacts elsewhere: what one of them took the others' workers could
// not fetch. While others serve he does not start; when all were stopped, the place was moved, and
// is marked anew. So a place that was copied whole needs no word, and those who were left behind at
// the old one are refused in their turn. Honeds of releases before this know nothing of it. Not
// thread safe.
#pragma once

#include <cstdint>
#include <functional>

#include "server/jobs/background.h"
#include "server/store/artifacts/artifacts.h"
#include "server/store/store.h"

namespace hone {

struct DeploymentWish {
  std::int64_t lease_seconds = 60;
  bool alone = false;  // over a private database: then there are no others, whatever it says
};

// What of it is not as the others have it.
struct DeploymentDifference {
  bool artifacts = false;
  bool lease_seconds = false;
  bool operator==(const DeploymentDifference&) const = default;
};

// At the start, before anything is served. conflict where the others keep artifacts elsewhere. A
// lease_seconds that is another is told in the log only: so begins a change of all, one by one.
Async<void> join_deployment(Store& store, Artifacts& artifacts, DeploymentWish wish);

// Compares every few seconds, since several may start together and others come later; what differs
// is logged when it changes, and given to `found` each time.
boost::asio::awaitable<void> watch_deployment(
    Store& store, Artifacts& artifacts, Background& background, DeploymentWish wish,
    std::function<void(const DeploymentDifference&)> found);

}  // namespace hone
