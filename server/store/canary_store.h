// Canaries: policies that are tried on services (service_store.h). Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/canary.h"
#include "server/store/async.h"
#include "server/store/page.h"
#include "server/store/reader.h"

namespace hone {

// What both groups did in one window, as it is stored.
struct CanaryWindow {
  std::int64_t number = 0;  // counts from 0
  double start = 0;         // seconds since 1970
  double seconds = 0;
  int share = 0;  // per cent that the canary might get
  Json baseline;  // counts, or why there are none
  Json canary;
};

// What one interval brought, stored in one transaction.
struct CanaryStep {
  CanaryStatus status;
  bool follows = false;
  std::optional<CanaryWindow> window = std::nullopt;
  Json judgement;  // null leaves the last one
  Json budget;     // likewise
};

// A canary that may have traffic.
struct ServingCanary {
  std::string id;
  std::optional<std::int64_t> left_ms;  // of its lease; nothing: it is promoted and needs none
};

// Makes a canary's next status of its present one; an error changes nothing.
using CanaryChange = std::function<Result<CanaryStatus>(CanaryStatus status)>;

class CanaryStore {
 public:
  explicit CanaryStore(PgPool& pool) : pool_(pool) {}

  // Prepares a canary. invalid_argument at /target if it is not registered or has no service, at
  // /policy_version if there is no such version; conflict while another of the target, or of the
  // same traffic, lives, and for a version older than the one in force, which it could never
  // follow.
  Async<CanaryView> create(CanarySpec spec, std::string created_by);
  // not_found.
  Async<CanaryView> find(std::string id);
  // Newest first.
  Async<Page<CanaryView>> list(Reader reader, std::optional<std::string> target, PageRequest page);
  // Its trail, oldest first.
  Async<std::vector<CanaryDecision>> decisions(std::string id);
  // In order.
  Async<std::vector<CanaryWindow>> windows(std::string id);

  // The canaries that `owner` drives from now on for so many seconds: its own, and those that
  // nobody drives. Those that live, and those that ended but whose traffic does not follow yet, or
  // whose reward is not stored.
  Async<std::vector<CanaryView>> take_due(std::string owner, std::int64_t seconds);
  // Stores a step; a change of state or share is a decision of its trail, and what it knows of the
  // budget is the service's. With a promotion its policy is in force, or nothing is stored: errors
  // of PolicyStore::promote. conflict if the canary is no longer at that revision: somebody else
  // changed it.
  Async<CanaryView> advance(std::string id, std::int64_t revision, CanaryStep step);
  // Changes a canary by hand, whoever drives it; a promotion as advance() says. Errors of `change`;
  // not_found.
  Async<CanaryView> change(std::string id, CanaryChange change);

  // Lets it have its traffic for so many seconds more. conflict if `owner` does not drive it, if it
  // is no longer at that revision, or has no share of the traffic.
  Async<void> renew_serving(std::string id, std::string owner, std::int64_t revision,
                            std::int64_t seconds);
  // Those that may have traffic now: under their lease, or promoted and without a successor.
  Async<std::vector<ServingCanary>> serving();
  // Whether it is one of them. False for one that is not there.
  Async<bool> may_serve(std::string id);

  // Its delayed reward, once: a line of the replay buffer. False if it was there already.
  Async<bool> add_experience(std::string id, Json line);

 private:
  PgPool& pool_;
};

}  // namespace hone
