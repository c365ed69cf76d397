// Drives canaries: reads their windows, judges, moves traffic, and keeps their lease on it.
//
// It remembers nothing that matters: what it stands on is in the store, and of several coordinators
// the one that owns a canary drives it, until it is silent for kOwnerSeconds. Traffic follows what
// is stored; a canary whose traffic does not follow keeps being told. Who balances asks for the
// lease (may_serve), which is renewed only while traffic is as it should be, so that a coordinator
// that died, hangs, or has lost its database or its Prometheus drains the canary.
//
// One that has ended is looked at until its traffic has followed once and its reward is stored. A
// reward that cannot be stored keeps nobody else waiting: it is tried again after growing pauses,
// and hourly where only somebody can mend it. Not thread safe.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/canaries/canary_world.h"
#include "server/canaries/looks.h"
#include "server/jobs/background.h"
#include "server/rewards/sli_window.h"
#include "server/store/store.h"

namespace hone {

inline constexpr std::int64_t kOwnerSeconds = 5;
// How long traffic goes on without a word: what a balancer's check finds within a second or two
// more.
inline constexpr std::int64_t kServingSeconds = 4;

class CanaryController {
 public:
  // `store` outlives it. `owner` tells this coordinator from others.
  CanaryController(Store& store, CanaryWorld world, std::string owner,
                   std::chrono::milliseconds patience = std::chrono::milliseconds(1000))
      : store_(store), world_(std::move(world)), owner_(std::move(owner)), patience_(patience) {}

  // One look at every canary that is ours: windows that are over are read and judged, traffic is
  // corrected, leases renewed. Each is looked at by itself: errors of one are logged, and one whose
  // Prometheus or balancer takes longer than `patience` goes on beside the next ticks, which leave
  // it out. Gives the first error.
  Async<void> tick();
  // Waits until every look is over, before the controller may go.
  boost::asio::awaitable<void> settle() { return looks_.settle(); }

 private:
  // What is known of a canary's windows, so that they are not read from the store at each look.
  struct Known {
    BucketBounds bounds;
    std::vector<SliWindow> series;
    double began = 0;  // when its first window starts; 0: not yet
    double budget_at = 0;
    // Since when traffic has followed and the lease has been kept without a break, and when it was
    // renewed; 0: it is not kept.
    double served_since = 0;
    double renewed = 0;
    // Of its reward: when it is tried again, and the pause before that; 0: it was not tried.
    double taught_again = 0;
    double pause = 0;
    std::string refused;  // why only somebody can mend it, as it was logged
  };

  boost::asio::awaitable<void> look(CanaryView canary);
  Async<void> drive(CanaryView canary);
  Async<CanaryView> begin(CanaryView canary, Known& known);
  Async<CanaryView> read_windows(CanaryView canary, Known& known);
  Async<CanaryView> take_window(CanaryView canary, Known& known, double start);
  // Why its policy may not be put in force now; nothing if it may.
  Async<std::optional<std::string>> obstacle_to(const CanaryView& canary);
  bool was_unreached(const CanaryView& canary, const Known& known, const SliWindow& window) const;
  Async<bool> correct_traffic(const CanaryView& canary);
  // Whether its reward is stored.
  boost::asio::awaitable<bool> teach(const CanaryView& canary, Known& known);
  Async<Known*> known_of(const CanaryView& canary);

  Store& store_;
  CanaryWorld world_;
  std::string owner_;
  std::chrono::milliseconds patience_;
  std::map<std::string, Known> known_;  // by canary
  Result<void> first_;                  // what went wrong since the tick began
  Looks looks_;                         // by canary
};

// Ticks until `background` stops.
boost::asio::awaitable<void> run_canaries(CanaryController& controller, Background& background,
                                          std::chrono::milliseconds interval);

}  // namespace hone
