// What every route of the API must hold to, said here by hand: a route that is served and has no
// row fails the tests, and so does a row without a route.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/json/document.h"

namespace hone {

// Whose a thing is that a route is about.
enum class Belongs {
  nobody,  // nothing of any target is in it
  list,    // a list, of what the token may read
  target,  // the path names a target
  job,     // ... or a thing of one
  campaign,
  candidate,
  attempt,
  artifact,
  canary,
  body,   // the body names targets
  owner,  // the token that made it, alone
};

struct RouteRow {
  std::string_view route;  // "GET /v1/jobs/{id}"
  // Who may call it with a token that is not confined: v(iewer) s(ubmitter) w(orker) l(earner), and
  // always an admin; "public": whoever asks.
  std::string_view roles;
  Belongs belongs = Belongs::nobody;
  // Of a route that changes something: the action that it leaves in the audit log, or in brackets
  // why it leaves none.
  std::string_view audit = {};
};

// A service that canaries can be tried on; nobody listens at its addresses. Two canaries at a time
// do not share a backend.
inline Json example_service(const std::string& backend) {
  return {{"prometheus", "http://127.0.0.1:9"},
          {"traffic",
           {{"haproxy",
             {{"socket", "/nowhere/haproxy.sock"},
              {"backend", backend},
              {"baseline", {"old"}},
              {"canary", {"new"}}}}}}};
}

inline const std::vector<RouteRow>& route_table() {
  static const std::vector<RouteRow> kRows{
      {"GET /healthz", "public"},
      {"GET /readyz", "public"},
      {"GET /", "public"},
      {"GET /ui", "public"},
      {"GET /ui/{view}", "public"},
      {"GET /ui/{view}/{name}", "public"},
      {"GET /ui/{view}/{name}/{part}", "public"},
      {"GET /assets/{name}", "public"},
      {"GET /favicon.svg", "public"},
      {"GET /metrics", "vsl"},
      {"GET /openapi.json", "vsl"},
      {"GET /v1/whoami", "vswl"},
      {"PUT /v1/targets/{name}", "s", Belongs::target, "target.define"},
      {"GET /v1/targets/{name}", "vsl", Belongs::target},
      {"GET /v1/targets", "vsl", Belongs::list},
      {"PUT /v1/artifacts/{sha256}", "sl", Belongs::artifact, "artifact.upload"},
      {"GET /v1/artifacts/{sha256}", "vswl", Belongs::artifact},
      {"POST /v1/artifacts/{sha256}/upload", "sl", Belongs::owner,
       "(its end is an artifact.upload)"},
      {"GET /v1/uploads/{id}", "sl", Belongs::owner},
      {"PATCH /v1/uploads/{id}", "sl", Belongs::owner, "(its end is an artifact.upload)"},
      {"DELETE /v1/uploads/{id}", "sl", Belongs::owner, "(nothing came of it)"},
      {"POST /v1/artifacts/gc", "", Belongs::nobody, "(removes what nobody refers to)"},
      {"POST /v1/campaigns", "s", Belongs::body, "campaign.create"},
      {"GET /v1/campaigns", "vsl", Belongs::list},
      {"GET /v1/campaigns/{id}", "vsl", Belongs::campaign},
      {"POST /v1/campaigns/{id}/candidate-sets", "sl", Belongs::campaign,
       "campaign.add_candidates"},
      {"GET /v1/campaigns/{id}/candidates", "vsl", Belongs::campaign},
      {"PUT /v1/campaigns/{id}/finalists", "sl", Belongs::campaign, "campaign.name_finalists"},
      {"POST /v1/campaigns/{id}/close", "sl", Belongs::campaign, "campaign.close"},
      {"POST /v1/campaigns/{id}/cancel", "s", Belongs::campaign, "campaign.cancel"},
      {"POST /v1/jobs", "s", Belongs::body, "job.submit"},
      {"GET /v1/jobs", "vsl", Belongs::list},
      {"GET /v1/jobs/{id}", "vsl", Belongs::job},
      {"POST /v1/jobs/{id}/cancel", "s", Belongs::job, "job.cancel"},
      {"POST /v1/jobs/{id}/retry", "s", Belongs::job, "job.retry"},
      {"GET /v1/jobs/{id}/events", "vsl", Belongs::job},
      {"GET /v1/events", "vsl", Belongs::list},
      {"PUT /v1/workers/{name}", "w", Belongs::nobody, "worker.register"},
      {"GET /v1/workers/{name}", "vswl", Belongs::list},
      {"GET /v1/workers", "vswl", Belongs::list},
      {"POST /v1/workers/{name}/leave", "w", Belongs::nobody, "worker.leave"},
      {"POST /v1/workers/{name}/drain", "", Belongs::nobody, "worker.drain"},
      {"POST /v1/workers/{name}/resume", "", Belongs::nobody, "worker.resume"},
      {"POST /v1/workers/{name}/free", "", Belongs::nobody, "worker.free"},
      {"POST /v1/leases", "w", Belongs::list, "(attempts says who leased what and when)"},
      {"POST /v1/leases/{attempt}/heartbeat", "w", Belongs::attempt, "(only its time changes)"},
      {"POST /v1/leases/{attempt}/complete", "w", Belongs::attempt, "(attempts and events say it)"},
      {"POST /v1/leases/{attempt}/fail", "w", Belongs::attempt, "(attempts and events say it)"},
      {"GET /v1/experiences", "vsl", Belongs::list},
      {"GET /v1/transitions", "vsl", Belongs::list},
      {"GET /v1/policies/{target}", "vsl", Belongs::target},
      {"POST /v1/policies/{target}", "l", Belongs::target, "policy.publish"},
      {"GET /v1/policies/{target}/versions", "vsl", Belongs::target},
      {"POST /v1/policies/{target}/versions/{version}/promote", "", Belongs::target,
       "policy.promote"},
      {"POST /v1/policies/{target}/versions/{version}/rollback", "", Belongs::target,
       "policy.rollback"},
      {"PUT /v1/policies/{target}/versions/{version}/signature", "sl", Belongs::target,
       "policy.sign"},
      {"GET /v1/policies/{target}/signing", "vsl", Belongs::target},
      {"PUT /v1/policies/{target}/signing", "", Belongs::nobody, "policy.require_signatures"},
      {"GET /v1/policy-keys", "vsl", Belongs::list},
      {"POST /v1/policy-keys", "", Belongs::nobody, "policy_key.add"},
      {"POST /v1/policy-keys/{id}/retire", "", Belongs::nobody, "policy_key.retire"},
      {"PUT /v1/targets/{name}/service", "", Belongs::nobody, "service.describe"},
      {"GET /v1/targets/{name}/service", "vsl", Belongs::target},
      {"GET /v1/services", "vsl", Belongs::list},
      {"POST /v1/canaries", "", Belongs::body, "canary.create"},
      {"GET /v1/canaries", "vsl", Belongs::list},
      {"GET /v1/canaries/{id}", "vsl", Belongs::canary},
      {"POST /v1/canaries/{id}/approve", "", Belongs::canary, "canary.approve"},
      {"POST /v1/canaries/{id}/abort", "", Belongs::canary, "canary.abort"},
      {"GET /v1/canaries/{id}/lease", "public"},
      {"GET /v1/tokens", ""},
      {"POST /v1/tokens", "", Belongs::nobody, "token.create"},
      {"GET /v1/tokens/{id}", ""},
      {"PUT /v1/tokens/{id}/grants/{target}", "", Belongs::nobody, "token.grant"},
      {"DELETE /v1/tokens/{id}/grants/{target}", "", Belongs::nobody, "token.revoke_grant"},
      {"POST /v1/tokens/{id}/rotate", "", Belongs::nobody, "token.rotate"},
      {"DELETE /v1/tokens/{id}", "", Belongs::nobody, "token.revoke"},
      {"GET /v1/audit", ""},
      {"POST /v1/sessions", "sl", Belongs::owner, "(in memory only; a logged one has its episode)"},
      {"GET /v1/sessions", "sl", Belongs::owner},
      {"POST /v1/sessions/{id}/step", "sl", Belongs::owner, "(a session is in memory only)"},
      {"POST /v1/sessions/{id}/observe", "sl", Belongs::owner, "(changes nothing)"},
      {"POST /v1/sessions/{id}/undo", "sl", Belongs::owner, "(a session is in memory only)"},
      {"POST /v1/sessions/{id}/reset", "sl", Belongs::owner, "(a session is in memory only)"},
      {"POST /v1/sessions/{id}/fork", "sl", Belongs::owner, "(a session is in memory only)"},
      {"DELETE /v1/sessions/{id}", "sl", Belongs::owner, "(a session is in memory only)"},
      {"GET /v1/sessions/{id}/socket", "sl", Belongs::owner},
      {"GET /v1/views/overview", "vsl", Belongs::list},
      {"GET /v1/views/campaigns/{id}", "vsl", Belongs::campaign},
      {"GET /v1/views/jobs/{id}", "vsl", Belongs::job},
      {"GET /v1/views/candidates/{id}", "vsl", Belongs::candidate},
      {"GET /v1/views/targets/{name}/history", "vsl", Belongs::target},
      {"GET /v1/views/targets/{name}/samples", "vsl", Belongs::target},
      {"GET /v1/views/fleet", "vsl", Belongs::list},
      {"GET /v1/views/policies", "vsl", Belongs::list},
      {"GET /v1/views/policies/{target}", "vsl", Belongs::target},
      {"GET /v1/views/canaries", "vsl", Belongs::list},
      {"GET /v1/views/canaries/{id}", "vsl", Belongs::canary},
      {"GET /v1/views/explorer", "vsl", Belongs::list},
  };
  return kRows;
}

}  // namespace hone
