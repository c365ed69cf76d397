// The view of the fleet, and what an administrator does to its workers.
#include "tests/unit/server/api/viewed_campaign.h"

namespace hone {
namespace {

TEST_F(ApiViews, FleetShowsWorkersAndTheirChecks) {
  const Json fleet = view("fleet");
  expect_schema(fleet, "Fleet");
  Json found;
  for (const Json& one : fleet["workers"]) {
    found = one["name"] == "viewed" ? one : found;
  }
  EXPECT_EQ(found["alive"], true);
  EXPECT_GE(found["results_24h"].get<int>(), 5);
  EXPECT_EQ(found["failures_24h"], 1);
  EXPECT_EQ(found["checks"][0]["verdict"], "no_change");
  EXPECT_GE(rows_of(fleet["checks"]), 1U);
}

TEST_F(ApiViews, AWorkersResultsAreCountedForWhoMayReadThem) {
  ApiServer& server = ApiServer::instance();
  const auto counts_for = [&](const std::string& target) {
    const Result<Json> made =
        server.client().post("/v1/tokens", Json{{"name", "fleet-of-" + target},
                                                {"role", "viewer"},
                                                {"grants", Json::array({{{"target", target}}})}});
    EXPECT_TRUE(made) << made.error().describe();
    const Json fleet = *parse_json(
        server.ask_as((*made)["token"].get<std::string>(), "GET", "/v1/views/fleet", "").body);
    for (const Json& one : fleet["workers"]) {
      if (one["name"] == "viewed") {
        return std::pair(one["results_24h"].get<int>(), one["failures_24h"].get<int>());
      }
    }
    return std::pair(-1, -1);
  };
  EXPECT_GE(counts_for("viewed").first, 5);
  EXPECT_EQ(counts_for("nothing-of-it"), std::pair(0, 0));
}

TEST_F(ApiViews, ADrainedWorkerGetsNothingUntilItResumes) {
  const Client admin = ApiServer::instance().client(Role::admin);
  register_target("drained");
  ASSERT_TRUE(worker().put("/v1/workers/drained", Json{{"name", "drained"}}).has_value());
  const Json batch{{"jobs", Json::array({{{"target", "drained"},
                                          {"priority", 100},
                                          {"rules", Json::array({knob_rule(4)})}}})}};
  ASSERT_TRUE(submitter()
                  .post("/v1/jobs", batch, {.headers = {{"Idempotency-Key", "drained"}}})
                  .has_value());
  const Result<Json> drained = admin.post("/v1/workers/drained/drain", Json::object());
  ASSERT_TRUE(drained.has_value()) << drained.error().describe();
  const std::string since = text_of(*drained, "drained_at");
  EXPECT_EQ(admin.post("/v1/workers/drained/drain", Json::object())->at("drained_at"), since);
  const Json ask{{"version", 1}, {"worker", "drained"}, {"wait_seconds", 0}};
  EXPECT_TRUE(worker().post("/v1/leases", ask)->is_null());
  EXPECT_TRUE(admin.post("/v1/workers/drained/resume", Json::object())->at("drained_at").is_null());
  // Whoever gives out jobs hears of it by a notification, a moment later.
  Json waits = ask;
  waits["wait_seconds"] = 20;
  const Result<Json> lease = worker().post("/v1/leases", waits);
  ASSERT_TRUE(lease) << lease.error().describe();
  ASSERT_FALSE(lease->is_null());
  ASSERT_TRUE(worker()
                  .post("/v1/leases/" + text_of(*lease, "attempt") + "/complete",
                        ok_result(0.01, 0.0, "no_change"))
                  .has_value());
  EXPECT_EQ(admin.post("/v1/workers/nobody/drain", Json::object()).error().code,
            ErrorCode::not_found);
}

}  // namespace
}  // namespace hone
