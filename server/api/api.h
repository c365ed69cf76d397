// The REST interface, version 1: what its handlers share, and the table of its routes.
//
// One file of handlers a resource; openapi.json describes every route of the table (a test compares
// the two). Everything runs on the server's one thread; not thread safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "server/api/canary_leases.h"
#include "server/api/line_streams.h"
#include "server/api/metrics.h"
#include "server/api/policy_cache.h"
#include "server/api/queue_quota.h"
#include "server/http/router.h"
#include "server/jobs/claimer.h"
#include "server/jobs/gatherer.h"
#include "server/store/artifacts/artifacts.h"
#include "server/store/store.h"

namespace hone {

struct Sessions;

struct ApiOptions {
  std::int64_t lease_seconds = 60;
  std::chrono::milliseconds event_heartbeat{15'000};
  std::int64_t artifact_days = 7;        // then an unused one is collected; 0: never
  std::int64_t queued_jobs = 2'000'000;  // of one token, in the queue; 0: without limit
};

// Outlives the router that is made of it.
struct Api {
  Store& store;
  Artifacts& artifacts;
  Metrics& metrics;
  ApiOptions options;
  std::function<std::size_t()> http_connections;  // how many are open; may be empty
  Sessions* sessions = nullptr;                   // null: there are none
  Claimer* claimer = nullptr;                     // never null when a lease is asked for
  Gatherer<Completion>* completions = nullptr;    // likewise when a result comes
  LineStreams streams{};                          // that are under way
  std::size_t event_streams = 0;                  // likewise, of events
  std::size_t lease_waits = 0;                    // requests that wait for a job
  std::filesystem::path data_folder{};            // whose disk is told of; empty: none
  // Until then /metrics does not ask the database again.
  std::chrono::steady_clock::time_point gauges_good_until{};
  PolicyCache policies{store};
  QueueQuota queue{store, options.queued_jobs};
  CanaryLeases canary_leases{[&asked = store] { return asked.canaries().serving(); }};
  std::set<std::string> served_canaries{};  // whose lease was given when it was last asked for
  bool draining = false;                    // honed is about to stop: who can go elsewhere should
};

// One more while it lives.
class Counted {
 public:
  explicit Counted(std::size_t& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::size_t& count_;
};

// A handler of the API: a coroutine over what the handlers share.
using ApiHandler = Async<Reply> (*)(Api& api, Request& request);

// The Handler that calls `handler` with `api`.
inline Handler bind(Api& api, ApiHandler handler) {
  return [&api, handler](Request& request) { return handler(api, request); };
}

// What a request is about and what its token must be allowed to do there: checked before the
// handler runs (access.h). `name` is the path's value that says which one.
enum class Subject { target, job, campaign, candidate, attempt, canary };
struct Guard {
  Subject subject = Subject::target;
  const char* name = "";
  TargetRight right = TargetRight::read;
};
Handler bind(Api& api, Guard guard, ApiHandler handler);

// One that changes what this honed may know from memory: afterwards it is looked up again.
Handler noting(Api& api, Channel channel, Handler handler);

// Who may do what. admin may do everything.
inline constexpr Roles kReaders{Role::viewer, Role::submitter, Role::learner};
inline constexpr Roles kSubmitters{Role::submitter};
inline constexpr Roles kWorkers{Role::worker};
inline constexpr Roles kAdmins{};

// Limit of bodies that hold many samples or candidates.
inline constexpr std::uint64_t kLargeBodyLimit = std::uint64_t{16} << 20U;

// Each resource's part of the table.
std::vector<Route> health_routes(Api& api);
std::vector<Route> target_routes(Api& api);
std::vector<Route> artifact_routes(Api& api);
std::vector<Route> upload_routes(Api& api);
std::vector<Route> campaign_routes(Api& api);
std::vector<Route> job_routes(Api& api);
std::vector<Route> event_routes(Api& api);
std::vector<Route> worker_routes(Api& api);
std::vector<Route> lease_routes(Api& api);
std::vector<Route> experience_routes(Api& api);
std::vector<Route> transition_routes(Api& api);
std::vector<Route> policy_routes(Api& api);
std::vector<Route> policy_key_routes(Api& api);
std::vector<Route> token_routes(Api& api);
std::vector<Route> canary_routes(Api& api);
std::vector<Route> service_routes(Api& api);
std::vector<Route> audit_routes(Api& api);
std::vector<Route> session_routes(Api& api);
std::vector<Route> view_routes(Api& api);
std::vector<Route> canary_view_routes(Api& api);
std::vector<Route> dashboard_routes(Api& api);

// The whole table.
Router make_router(Api& api);

// Tokens are looked up in the store; finished requests are counted, failures of ours logged.
HttpHooks make_hooks(Store& store, Metrics& metrics);

// The OpenAPI 3.1 document, as served.
std::string_view openapi_document();

}  // namespace hone
