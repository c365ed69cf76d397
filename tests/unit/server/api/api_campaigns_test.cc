// A campaign through the API and the controller: raced, confirmed, published.
#include "server/campaigns/controller.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

class ApiCampaigns : public testing::Test {
 protected:
  // A target, a worker and a campaign of `candidates` candidates with the highest priority.
  void begin(const std::string& name, int candidates, const Json& further = Json::object()) {
    name_ = name;
    register_target(name);
    ASSERT_TRUE(worker_.put("/v1/workers/" + name, Json{{"name", name}}).has_value());
    Json request{{"target", name}, {"budget_candidates", candidates}, {"priority", 100}};
    request.update(further);
    const Result<Json> made = submitter_.post("/v1/campaigns", request);
    ASSERT_TRUE(made.has_value()) << made.error().describe();
    id_ = text_of(*made, "id");
    EXPECT_EQ((*made)["state"], "waiting");
    Json set{{"generator", "test"}, {"candidates", Json::array()}};
    for (int i = 0; i < candidates; ++i) {
      set["candidates"].push_back({{"origin", "knob"},
                                   {"log_propensity", -1.0},
                                   {"rules", Json::array({knob_rule(i + 2)})}});
    }
    const Result<Json> added = submitter_.post("/v1/campaigns/" + id_ + "/candidate-sets", set);
    ASSERT_TRUE(added.has_value()) << added.error().describe();
    EXPECT_EQ((*added)["jobs"].size(), static_cast<std::size_t>(candidates));
    EXPECT_EQ(campaign()["state"], "racing");
  }

  Json campaign() { return viewer_.get("/v1/campaigns/" + id_).value(); }
  Json candidates() { return viewer_.get("/v1/campaigns/" + id_ + "/candidates").value()["items"]; }

  // Leases the next job and reports `result` for it; gives the lease.
  Json measure(const Json& result) {
    const Result<Json> lease =
        worker_.post("/v1/leases", Json{{"version", 1}, {"worker", name_}, {"wait_seconds", 0}});
    EXPECT_TRUE(lease.has_value() && !lease->is_null()) << "no job";
    if (!lease.has_value() || lease->is_null()) {
      return Json::object();
    }
    const Result<Json> counted =
        worker_.post("/v1/leases/" + text_of(*lease, "attempt") + "/complete", result);
    EXPECT_TRUE(counted.has_value()) << counted.error().describe();
    return *lease;
  }

  // One round of the controller: everything that is due makes a step.
  void advance() {
    const Result<void> done =
        ApiServer::instance().on_store<void>([](Store& store) { return advance_all(store); });
    ASSERT_TRUE(done.has_value()) << done.error().describe();
  }
  static Async<void> advance_all(Store& store) {
    Result<std::vector<DueCampaign>> due = co_await store.campaigns().due();
    HONE_CO_TRY(const std::vector<DueCampaign> campaigns, std::move(due));
    for (const DueCampaign& one : campaigns) {
      const Result<void> step = co_await advance_campaign(store, one);
      HONE_CO_CHECK(step);
    }
    co_return Result<void>();
  }

  Client submitter_ = ApiServer::instance().client(Role::submitter);
  Client worker_ = ApiServer::instance().client(Role::worker);
  Client viewer_ = ApiServer::instance().client(Role::viewer);
  std::string name_;
  std::string id_;
};

TEST_F(ApiCampaigns, WinnerIsConfirmedAndItsPolicyPublished) {
  begin("campaign-win", 3);
  measure(ok_result(0.05, 0.04, "faster"));
  measure(ok_result(0.09, 0.08, "faster"));
  advance();
  EXPECT_EQ(campaign()["state"], "racing") << "a race job is not done yet";
  measure(Json{{"outcome", "compiler_crashed"}, {"reason", "signal 11 in a.c"}});
  EXPECT_EQ(campaign()["finished"], 3);
  EXPECT_EQ(campaign()["failed"], 1);
  advance();
  EXPECT_EQ(campaign()["state"], "confirming");
  const Json lease = measure(ok_result(0.06, 0.05, "faster"));
  EXPECT_EQ(lease["stage"], "confirm");
  EXPECT_EQ(lease["rules"][0]["knobs"]["unroll-count"], "3") << "the best of the race comes first";
  advance();
  const Json done = campaign();
  EXPECT_EQ(done["state"], "finished");
  EXPECT_DOUBLE_EQ(done["confirmed"]["value"].get<double>(), 0.06) << "only the fresh value counts";
  EXPECT_EQ(done["policy_version"], 1);
  EXPECT_EQ(done["winner_candidate"], candidates()[1]["id"]);
  EXPECT_EQ(candidates()[1]["confirm"]["verdict"], "faster");
  EXPECT_EQ(candidates()[2]["job"]["outcome"], "compiler_crashed");

  const Result<Json> policy = viewer_.get("/v1/policies/campaign-win?version=1");
  ASSERT_TRUE(policy.has_value()) << policy.error().describe();
  EXPECT_EQ((*policy)["rules"][0]["knobs"]["unroll-count"], "3");
  EXPECT_EQ((*policy)["compiler"]["version"], "19.1.7");
  EXPECT_NE(text_of(*policy, "provenance").find(id_), std::string::npos);
  const Result<Json> published =
      ApiServer::instance().client().get("/v1/audit?target=campaign-win&action=policy.publish");
  ASSERT_TRUE(published.has_value()) << published.error().describe();
  ASSERT_EQ(published->at("items").size(), 1U);
  EXPECT_EQ(published->at("items")[0]["token_name"], "honed");
  EXPECT_EQ(published->at("items")[0]["after"]["version"], 1);
  EXPECT_EQ(published->at("items")[0]["after"]["campaign"], id_);
  advance();  // nothing is due any more
  EXPECT_EQ(viewer_.get("/v1/policies/campaign-win/versions")->at("items").size(), 1U);
}

TEST_F(ApiCampaigns, AWinnerMustBeatThePolicyInForce) {
  begin("campaign-heir", 1);
  measure(ok_result(0.05, 0.04, "faster"));
  advance();
  measure(ok_result(0.05, 0.04, "faster"));
  advance();
  EXPECT_EQ(campaign()["policy_version"], 1) << "nothing was in force";
  Client admin = ApiServer::instance().client(Role::admin);
  ASSERT_TRUE(
      admin.post("/v1/policies/campaign-heir/versions/1/promote", Json::object()).has_value());

  // Better than the baseline, but no better than version 1.
  begin("campaign-heir", 1);
  measure(ok_result(0.05, 0.04, "faster"));
  advance();
  measure(ok_result(0.05, 0.04, "faster"));
  advance();
  EXPECT_EQ(campaign()["state"], "confirming") << "version 1 is measured first";
  advance();  // a second look submits nothing twice
  const Json lease = measure(ok_result(0.049, 0.04, "faster"));
  EXPECT_EQ(lease["stage"], "confirm");
  EXPECT_EQ(lease["rules"][0]["knobs"]["unroll-count"], "2") << "the rules of version 1";
  advance();
  EXPECT_EQ(campaign()["state"], "finished");
  EXPECT_TRUE(campaign()["winner_candidate"].is_null());
  EXPECT_NE(text_of(campaign(), "reason").find("policy version 1"), std::string::npos);
  EXPECT_EQ(candidates().size(), 2U);
  EXPECT_EQ(candidates()[1]["origin"], "current-policy");

  // Surely better.
  begin("campaign-heir", 1);
  measure(ok_result(0.2, 0.19, "faster"));
  advance();
  measure(ok_result(0.2, 0.19, "faster"));
  advance();
  measure(ok_result(0.05, 0.04, "faster"));
  advance();
  EXPECT_EQ(campaign()["policy_version"], 2);
  const Result<Json> policy = viewer_.get("/v1/policies/campaign-heir?version=2");
  ASSERT_TRUE(policy.has_value()) << policy.error().describe();
  EXPECT_NE(text_of(*policy, "provenance").find("policy version 1 in force"), std::string::npos);
}

TEST_F(ApiCampaigns, TheOriginOfThePolicyInForceIsHonedsAlone) {
  begin("campaign-origin", 1, Json{{"proposing_seconds", 3600}, {"budget_candidates", 9}});
  const Json set{{"generator", "test"},
                 {"candidates", Json::array({{{"origin", "current-policy"},
                                              {"log_propensity", -1.0},
                                              {"rules", Json::array({knob_rule(7)})}}})}};
  const Result<Json> added = submitter_.post("/v1/campaigns/" + id_ + "/candidate-sets", set);
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().code, ErrorCode::invalid_argument);
  measure(ok_result(0.001, -0.01, "inconclusive"));
}

TEST_F(ApiCampaigns, WithoutAConfirmationThereIsNoWinner) {
  begin("campaign-none", 2);
  measure(ok_result(0.05, 0.04, "faster"));
  measure(ok_result(0.03, 0.02, "faster"));
  advance();
  measure(ok_result(0.001, -0.01, "inconclusive"));
  advance();
  EXPECT_EQ(campaign()["state"], "confirming");
  advance();  // a second look submits nothing twice
  measure(ok_result(-0.001, -0.01, "no_change"));
  advance();
  const Json done = campaign();
  EXPECT_EQ(done["state"], "finished");
  EXPECT_TRUE(done["winner_candidate"].is_null());
  EXPECT_TRUE(done["policy_version"].is_null());
  EXPECT_NE(text_of(done, "reason").find("2 best"), std::string::npos);
}

TEST_F(ApiCampaigns, NothingToCompareIsAFailure) {
  begin("campaign-broken", 1);
  measure(Json{{"outcome", "baseline_failed"}, {"reason", "make: no rule"}});
  advance();
  EXPECT_EQ(campaign()["state"], "failed");
  EXPECT_NE(text_of(campaign(), "reason").find("make: no rule"), std::string::npos);
}

TEST_F(ApiCampaigns, ClosedByItsLearnerItIsConfirmed) {
  begin("campaign-close", 3, Json{{"proposing_seconds", 3600}, {"budget_candidates", 30}});
  for (int i = 0; i < 3; ++i) {
    measure(ok_result(0.05, 0.04, "faster"));
  }
  advance();
  EXPECT_EQ(campaign()["state"], "racing") << "more may be proposed";
  const Client learner = ApiServer::instance().client(Role::learner);
  const Result<Json> closed = learner.post("/v1/campaigns/" + id_ + "/close", Json::object());
  ASSERT_TRUE(closed.has_value()) << closed.error().describe();
  EXPECT_EQ((*closed)["closed"], true);
  advance();
  EXPECT_EQ(campaign()["state"], "confirming");
  measure(ok_result(0.05, 0.04, "faster"));  // no job is left to other tests
  advance();
  EXPECT_EQ(campaign()["state"], "finished");
  EXPECT_EQ(viewer_.post("/v1/campaigns/" + id_ + "/close", Json::object()).error().code,
            ErrorCode::permission_denied);
}

TEST_F(ApiCampaigns, CancelKeepsWhatWasMeasured) {
  begin("campaign-cancel", 2);
  measure(ok_result(0.05, 0.04, "faster"));
  const Result<Json> cancelled =
      submitter_.post("/v1/campaigns/" + id_ + "/cancel", Json::object());
  ASSERT_TRUE(cancelled.has_value());
  EXPECT_EQ((*cancelled)["state"], "cancelled");
  advance();
  EXPECT_EQ(campaign()["state"], "cancelled");
  EXPECT_EQ(candidates()[0]["job"]["state"], "done");
  EXPECT_EQ(candidates()[1]["job"]["state"], "cancelled");
  const Result<Json> late =
      submitter_.post("/v1/campaigns/" + id_ + "/candidate-sets",
                      Json{{"generator", "test"}, {"candidates", Json::array({Json::object()})}});
  EXPECT_EQ(late.error().code, ErrorCode::conflict);
}

TEST_F(ApiCampaigns, IdempotencyKeyGivesTheSameCampaign) {
  register_target("campaign-key");
  const RequestOptions key{.headers = {{"Idempotency-Key", "c-key"}}};
  const std::string body = R"({"target":"campaign-key","budget_candidates":1})";
  const Result<Response> first = submitter_.exchange("POST", "/v1/campaigns", body, key);
  const Result<Response> again = submitter_.exchange("POST", "/v1/campaigns", body, key);
  ASSERT_TRUE(first.has_value() && again.has_value());
  EXPECT_EQ(first->status, 201);
  EXPECT_EQ(again->status, 200);
  EXPECT_EQ(first->header("location"), again->header("location"));
  EXPECT_EQ(viewer_.get("/v1/campaigns?target=campaign-key")->at("items").size(), 1U);
}

TEST_F(ApiCampaigns, EventsEndWithTheCampaign) {
  begin("campaign-events", 1);
  measure(ok_result(0.0, -0.01, "no_change"));
  advance();
  std::vector<std::string> states;
  const Result<void> end =
      viewer_.events("/v1/events?campaign=" + id_, [&](const ServerEvent& event) {
        if (event.event == "campaign") {
          states.push_back(parse_json(event.data)->at("state").get<std::string>());
        }
        return true;
      });
  EXPECT_TRUE(end.has_value()) << end.error().describe();
  ASSERT_FALSE(states.empty());
  EXPECT_EQ(states.back(), "finished");
}

}  // namespace
}  // namespace hone
