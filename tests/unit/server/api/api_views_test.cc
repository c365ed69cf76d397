// The dashboard's views: what they join, who may see them, what they refuse, and as CSV.
#include <algorithm>

#include "server/campaigns/controller.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

constexpr const char* kScript = "<script>alert(1)</script>";

std::string text_of(const Json& json, const char* key) {
  return json[key].get<std::string>();
}

Json view(const std::string& path, Role role = Role::viewer) {
  const Result<Json> answer = ApiServer::instance().client(role).get("/v1/views/" + path);
  EXPECT_TRUE(answer.has_value()) << path << ": " << answer.error().describe();
  return answer.has_value() ? *answer : Json::object();
}

RawResponse csv(const std::string& path) {
  const RawResponse answer = ApiServer::instance().ask("GET", path, "", "", Role::viewer);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_TRUE(answer.header("Content-Type").starts_with("text/csv")) << path;
  EXPECT_TRUE(answer.header("Content-Disposition").starts_with("attachment; filename=\""));
  return answer;
}

// Every column as long as the table says; gives its length.
std::size_t rows_of(const Json& table) {
  const auto rows = table["rows"].get<std::size_t>();
  for (const auto& [name, column] : table["columns"].items()) {
    EXPECT_EQ(column.size(), rows) << name;
  }
  return rows;
}

void expect_schema(const Json& value, const std::string& name) {
  static const Json kDocument = *parse_json(openapi_document());
  const Json& schema = kDocument["components"]["schemas"][name];
  for (const Json& key : schema["required"]) {
    EXPECT_TRUE(value.contains(key.get<std::string>())) << name << " lacks " << key;
  }
  for (const auto& [key, member] : value.items()) {
    EXPECT_TRUE(schema["properties"].contains(key)) << name << " does not know " << key;
    const Json& items = schema["properties"][key].value("items", Json::object());
    if (member.is_array() && !member.empty() && items.contains("properties")) {
      for (const Json& needed : items["required"]) {
        EXPECT_TRUE(member[0].contains(needed.get<std::string>())) << name << key << needed;
      }
      for (const auto& [inner, ignored] : member[0].items()) {
        EXPECT_TRUE(items["properties"].contains(inner)) << name << "." << key << "." << inner;
      }
    }
  }
}

// A campaign of two sets that won, seen through the API like any other.
class ApiViews : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    register_target("viewed");
    ASSERT_TRUE(worker().put("/v1/workers/viewed", Json{{"name", "viewed"}}).has_value());
    const Result<Json> made = submitter().post("/v1/campaigns", Json{{"target", "viewed"},
                                                                     {"budget_candidates", 4},
                                                                     {"priority", 100},
                                                                     {"proposing_seconds", 3600}});
    ASSERT_TRUE(made.has_value()) << made.error().describe();
    campaign_ = text_of(*made, "id");
    add_set({2, 3});
    measure(ok_result(0.05, 0.04, "faster"));
    measure(Json{{"outcome", "build_failed"}, {"reason", kScript}, {"log", kScript}});
    add_set({2, 5});
    measure(ok_result(0.02, 0.01, "faster"));
    Json last = ok_result(0.09, 0.08, "faster");
    last["decisions"].push_back({{"source", "b.c"},
                                 {"output", "b.o"},
                                 {"tuned", false},
                                 {"meant", true},
                                 {"reason", "it crashed"}});
    last["self_check"] = {
        {"verdict", "no_change"}, {"reward", last["reward"]}, {"baseline_value", 1}};
    last["self_check"]["reward"]["value"] = 0.085;
    measure(last);
    ASSERT_TRUE(
        submitter().post("/v1/campaigns/" + campaign_ + "/close", Json::object()).has_value());
    advance();
    for (int i = 0; i < 3; ++i) {
      measure(ok_result(0.06, 0.05, "faster"));
      advance();
      if (submitter().get("/v1/campaigns/" + campaign_)->at("state") == "finished") {
        break;
      }
    }
    ASSERT_EQ(submitter().get("/v1/campaigns/" + campaign_)->at("state"), "finished");
  }

  static Client submitter() { return ApiServer::instance().client(Role::submitter); }
  static Client worker() { return ApiServer::instance().client(Role::worker); }

  static void add_set(std::initializer_list<int> knobs) {
    Json set{{"generator", "test"}, {"candidates", Json::array()}};
    for (const int knob : knobs) {
      set["candidates"].push_back({{"origin", "knob"},
                                   {"note", "=" + std::string(kScript)},
                                   {"rules", Json::array({knob_rule(knob)})}});
    }
    const Result<Json> added =
        submitter().post("/v1/campaigns/" + campaign_ + "/candidate-sets", set);
    ASSERT_TRUE(added.has_value()) << added.error().describe();
  }

  static void measure(const Json& result) {
    const Result<Json> lease = worker().post(
        "/v1/leases", Json{{"version", 1}, {"worker", "viewed"}, {"wait_seconds", 0}});
    ASSERT_TRUE(lease.has_value() && !lease->is_null()) << "no job";
    const Result<Json> counted =
        worker().post("/v1/leases/" + text_of(*lease, "attempt") + "/complete", result);
    ASSERT_TRUE(counted.has_value()) << counted.error().describe();
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
  static void advance() {
    ASSERT_TRUE(ApiServer::instance()
                    .on_store<void>([](Store& store) { return advance_all(store); })
                    .has_value());
  }

  static Json candidates() { return view("campaigns/" + campaign_)["candidates"]["columns"]; }

  static std::string campaign_;
};
std::string ApiViews::campaign_;

TEST_F(ApiViews, OverviewShowsGainTrendFleetAndTrouble) {
  const Json overview = view("overview");
  expect_schema(overview, "Overview");
  const auto of_target = [](const Json& items) {
    Json found;
    for (const Json& item : items) {
      if (item.value("name", item.value("target", "")) == "viewed") {
        found = item;
      }
    }
    return found;
  };
  const Json target = of_target(overview["targets"]);
  EXPECT_DOUBLE_EQ(target["best"]["reward"]["value"].get<double>(), 0.06);
  EXPECT_EQ(target["best"]["campaign"], campaign_);
  EXPECT_EQ(target["commit"], std::string(40, 'a'));
  EXPECT_EQ(target["metric"], "cpu_time");
  const Json trend = of_target(overview["trend"]);
  EXPECT_EQ(trend["state"], "finished");
  EXPECT_DOUBLE_EQ(trend["low"].get<double>(), 0.05);
  EXPECT_GE(overview["fleet"]["alive"].get<int>(), 1);
  bool failed = false;
  bool fell_back = false;
  for (const Json& item : overview["attention"]) {
    const bool ours = item["target"] == "viewed";
    failed = failed || (ours && item["kind"] == "failed_candidates" &&
                        text_of(item, "text") == "build_failed: " + std::string(kScript));
    fell_back = fell_back || (ours && item["kind"] == "fell_back" && item["source"] == "b.c");
  }
  EXPECT_TRUE(failed && fell_back) << overview["attention"];
}

TEST_F(ApiViews, CampaignHasEveryCandidateInColumns) {
  const Json shown = view("campaigns/" + campaign_);
  expect_schema(shown, "CampaignDetail");
  EXPECT_EQ(shown["campaign"]["state"], "finished");
  EXPECT_EQ(shown["campaign"]["metric"], "cpu_time");
  EXPECT_EQ(shown["sets"].size(), 2U);
  ASSERT_EQ(rows_of(shown["candidates"]), 4U);
  const Json& columns = shown["candidates"]["columns"];
  EXPECT_EQ(columns["set"], Json::array({0, 0, 1, 1}));
  EXPECT_EQ(columns["outcome"][1], "build_failed");
  EXPECT_EQ(columns["reason"][1], kScript);
  EXPECT_TRUE(columns["reward"][1].is_null()) << "what was not measured is not 0";
  EXPECT_DOUBLE_EQ(columns["reward"][3].get<double>(), 0.09);
  EXPECT_EQ(columns["confirm_verdict"][3], "faster");
  EXPECT_DOUBLE_EQ(columns["confirm_reward"][3].get<double>(), 0.06);
  EXPECT_GT(columns["measured_at"][3].get<std::int64_t>(), 1'600'000'000'000);
}

TEST_F(ApiViews, CampaignSinceHasOnlyWhatChanged) {
  EXPECT_EQ(rows_of(view("campaigns/" + campaign_ + "?since=1000")["candidates"]), 4U);
  EXPECT_EQ(rows_of(view("campaigns/" + campaign_ + "?since=250000000000000")["candidates"]), 0U);
}

TEST_F(ApiViews, CandidateIsComparedWithItsBaselineAndItsParent) {
  const Json columns = candidates();
  const std::string best = columns["id"][3].get<std::string>();
  const Json shown = view("candidates/" + best);
  expect_schema(shown, "Comparison");
  EXPECT_EQ(shown["job"]["stage"], "confirm");
  EXPECT_EQ(shown["job"]["candidate"], best);
  EXPECT_EQ(shown["worker"], "viewed");
  EXPECT_EQ(shown["candidate"]["winner"], true);
  EXPECT_EQ(shown["jobs"].size(), 2U);
  EXPECT_EQ(shown["policies"][0]["version"], 1);
  EXPECT_EQ(shown["samples_of"], shown["job"]["id"]);
  ASSERT_EQ(rows_of(shown["pairs"]), 12U);
  EXPECT_DOUBLE_EQ(shown["pairs"]["columns"]["baseline"][3].get<double>(), 0.203);
  EXPECT_EQ(shown["pairs"]["columns"]["candidate_first"][3], false);
  EXPECT_DOUBLE_EQ(shown["pairs"]["columns"]["log_ratio"][3].get<double>(), 0);
  EXPECT_EQ(shown["parent"]["id"], columns["id"][0]) << "the one that was measured before its set";
  EXPECT_EQ(shown["parent"]["rules"][0]["knobs"]["unroll-count"], "2");
  const Json race = view("candidates/" + best + "?stage=race");
  EXPECT_EQ(race["job"]["stage"], "race");
  EXPECT_EQ(race["job"]["result"]["decisions"].size(), 2U);
  EXPECT_EQ(view("jobs/" + text_of(race["job"], "id"))["job"], race["job"]);
}

TEST_F(ApiViews, AFailureHasItsLogAndNoPairs) {
  const Json shown = view("candidates/" + candidates()["id"][1].get<std::string>());
  EXPECT_EQ(shown["job"]["outcome"], "build_failed");
  EXPECT_EQ(shown["job"]["result"]["log"], kScript);
  EXPECT_EQ(rows_of(shown["pairs"]), 0U);
  EXPECT_TRUE(shown["parent"].is_null());
  EXPECT_TRUE(shown["job"]["reward"].is_null());
}

TEST_F(ApiViews, HistoryHasAPointForEachResult) {
  const Json history = view("targets/viewed/history");
  expect_schema(history, "History");
  EXPECT_EQ(history["metric"], "cpu_time");
  EXPECT_EQ(history["unit"], "seconds");
  EXPECT_EQ(history["baseline"], "O3");
  EXPECT_EQ(history["worker"], "viewed");
  EXPECT_EQ(history["bucketed"], false);
  const std::size_t rows = rows_of(history["points"]);
  EXPECT_GE(rows, 4U);
  EXPECT_EQ(history["total"], rows);
  const Json& columns = history["points"]["columns"];
  // 0.200, 0.201 ... 0.211: median, quartiles.
  EXPECT_NEAR(columns["baseline"][0].get<double>(), 0.2055, 1e-6);
  EXPECT_NEAR(columns["baseline_low"][0].get<double>(), 0.20275, 1e-6);
  EXPECT_NEAR(columns["baseline_high"][0].get<double>(), 0.20825, 1e-6);
  EXPECT_NEAR(columns["reward"][0].get<double>(), 0.05, 1e-6);
  EXPECT_EQ(columns["stage"][0], "race");
  EXPECT_EQ(history["versions"][0]["commit"], std::string(40, 'a'));
  EXPECT_EQ(history["campaigns"][0]["id"], campaign_);
  EXPECT_TRUE(history["changes"].empty());
  EXPECT_EQ(rows_of(view("targets/viewed/history?from=1&to=2")["points"]), 0U);
  EXPECT_EQ(rows_of(view("targets/viewed/history?stage=race")["points"]), 3U);
  EXPECT_TRUE(view("targets/viewed/history?metric=energy")["metric"].is_null());
}

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
  const Result<Json> lease = worker().post("/v1/leases", ask);
  ASSERT_TRUE(lease.has_value() && !lease->is_null());
  ASSERT_TRUE(worker()
                  .post("/v1/leases/" + text_of(*lease, "attempt") + "/complete",
                        ok_result(0.01, 0.0, "no_change"))
                  .has_value());
  EXPECT_EQ(admin.post("/v1/workers/nobody/drain", Json::object()).error().code,
            ErrorCode::not_found);
}

TEST_F(ApiViews, PoliciesShowWhereTheyComeFromAndWhatDiffers) {
  const Json all = view("policies");
  expect_schema(all, "Policies");
  const Json shown = view("policies/viewed");
  expect_schema(shown, "PolicyDetail");
  ASSERT_EQ(shown["versions"].size(), 1U);
  const Json& version = shown["versions"][0];
  EXPECT_EQ(version["campaign"], campaign_);
  EXPECT_DOUBLE_EQ(version["reward"]["value"].get<double>(), 0.06);
  EXPECT_EQ(version["worker"], "viewed");
  EXPECT_EQ(version["generator"], "test");
  EXPECT_EQ(version["signed"], false);
  EXPECT_EQ(version["rules"], 1);
  EXPECT_TRUE(shown["diff"].is_null());
  const Client admin = ApiServer::instance().client(Role::admin);
  ASSERT_TRUE(admin.post("/v1/policies/viewed/versions/1/rollback", Json::object()).has_value());
  const Json diff = view("policies/viewed?from=1&to=2")["diff"];
  EXPECT_EQ(diff["same"], 1);
  EXPECT_EQ(diff["changed"], Json::array());
}

TEST_F(ApiViews, ExplorerListsActionsAndLoggedPrograms) {
  const Json explorer = view("explorer");
  expect_schema(explorer, "Explorer");
  EXPECT_EQ(explorer["available"], true);
  EXPECT_GT(explorer["actions"].size(), 50U);
  EXPECT_EQ(explorer["observations"][0], "Ir");
  EXPECT_EQ(explorer["rewards"][0], "IrInstructionCount");
}

TEST_F(ApiViews, EveryTableIsACsvFile) {
  EXPECT_NE(csv("/v1/views/overview?format=csv").body.find(",best.reward.value"),
            std::string::npos);
  EXPECT_NE(csv("/v1/views/overview?format=csv&table=attention").body.find(kScript),
            std::string::npos);
  EXPECT_TRUE(csv("/v1/views/overview?format=csv&table=fleet").body.starts_with("alive,busy,"));
  const RawResponse candidates = csv("/v1/views/campaigns/" + campaign_ + "?format=csv");
  EXPECT_EQ(candidates.header("Content-Disposition"), "attachment; filename=\"candidates.csv\"");
  EXPECT_EQ(std::ranges::count(candidates.body, '\n'), 5);
  EXPECT_NE(candidates.body.find("\"'=" + std::string(kScript) + "\""), std::string::npos)
      << "a note that begins like a formula";
  EXPECT_EQ(std::ranges::count(csv("/v1/views/targets/viewed/history?format=csv").body, '\n'),
            view("targets/viewed/history")["total"].get<int>() + 1);
  EXPECT_TRUE(csv("/v1/views/fleet?format=csv&table=checks").body.starts_with("at,"));
  csv("/v1/views/policies?format=csv");
  csv("/v1/views/policies/viewed?format=csv");
  csv("/v1/views/policies/viewed?format=csv&table=diff");
  csv("/v1/views/explorer?format=csv&table=actions");
  for (const char* list : {"/v1/targets", "/v1/campaigns", "/v1/jobs", "/v1/workers",
                           "/v1/policies/viewed/versions"}) {
    EXPECT_GE(std::ranges::count(csv(std::string(list) + "?format=csv").body, '\n'), 2) << list;
  }
  csv("/v1/campaigns/" + campaign_ + "/candidates?format=csv");
  EXPECT_NE(csv("/v1/targets?limit=1&format=csv").header("Hone-Next-Cursor"), "");
}

TEST_F(ApiViews, SamplesAreWholeAndInOrder) {
  const RawResponse samples = csv("/v1/views/targets/viewed/samples?format=csv");
  EXPECT_TRUE(samples.complete);
  EXPECT_TRUE(samples.body.starts_with(
      "at,job,worker,stage,baseline,version,metric,input,pair,position,block,layout,role,value"));
  const auto results = view("targets/viewed/history")["total"].get<std::int64_t>();
  EXPECT_EQ(std::ranges::count(samples.body, '\n'), 24 * results + 1);
  const RawResponse none = csv("/v1/views/targets/viewed/samples?from=1&to=2");
  EXPECT_EQ(std::ranges::count(none.body, '\n'), 1);
}

TEST_F(ApiViews, WhoIsToldWhatHeMayDo) {
  const auto may = [](Role role) {
    return ApiServer::instance().client(role).get("/v1/whoami")->at("may");
  };
  EXPECT_EQ(may(Role::admin),
            (Json{{"read", true}, {"submit", true}, {"step", true}, {"administer", true}}));
  EXPECT_EQ(may(Role::viewer),
            (Json{{"read", true}, {"submit", false}, {"step", false}, {"administer", false}}));
  EXPECT_EQ(may(Role::submitter),
            (Json{{"read", true}, {"submit", true}, {"step", true}, {"administer", false}}));
  EXPECT_EQ(may(Role::learner),
            (Json{{"read", true}, {"submit", false}, {"step", true}, {"administer", false}}));
  EXPECT_EQ(may(Role::worker),
            (Json{{"read", false}, {"submit", false}, {"step", false}, {"administer", false}}));
}

TEST_F(ApiViews, RolesAreHeldToWhatTheyMay) {
  ApiServer& server = ApiServer::instance();
  for (const char* path : {"overview", "fleet", "policies", "policies/viewed", "explorer",
                           "targets/viewed/history", "targets/viewed/samples"}) {
    const std::string target = std::string("/v1/views/") + path;
    EXPECT_EQ(server.ask("GET", target, "", "", Role::worker).status, 403) << path;
    EXPECT_EQ(server.ask_as("x", "GET", target, "").status, 401) << path;
    for (const Role role : {Role::viewer, Role::submitter, Role::learner, Role::admin}) {
      EXPECT_EQ(server.ask("GET", target, "", "", role).status, 200) << path << to_string(role);
    }
  }
  for (const char* action : {"drain", "resume"}) {
    for (const Role role : {Role::viewer, Role::submitter, Role::learner, Role::worker}) {
      EXPECT_EQ(
          server.ask("POST", "/v1/workers/viewed/" + std::string(action), "", "", role).status,
          403);
    }
  }
}

TEST_F(ApiViews, BadParametersAreNamed) {
  struct Case {
    std::string path;
    std::vector<std::string> pointers;
  };
  const std::string none = "00000000-0000-4000-8000-000000000000";
  const std::vector<Case> cases = {
      {"overview?format=xml", {"/format"}},
      {"overview?format=csv&table=secrets", {"/table"}},
      {"overview?limit=1", {"/limit"}},
      {"campaigns/x", {"/id"}},
      {"campaigns/" + none + "?since=-1", {"/since"}},
      {"candidates/" + none + "?stage=final", {"/stage"}},
      {"targets/viewed/history?points=99&metric=speed&baseline=O2",
       {"/points", "/metric", "/baseline"}},
      {"targets/viewed/history?points=100001", {"/points"}},
      {"targets/viewed/history?from=9&to=8", {"/to"}},
      {"targets/viewed/history?worker=No", {"/worker"}},
      {"targets/viewed/samples?format=json", {"/format"}},
      {"policies/viewed?from=1", {"/to"}},
      {"policies/viewed?from=0&to=1", {"/from"}},
      {"explorer?program=abc", {"/program"}},
  };
  for (const Case& c : cases) {
    const RawResponse answer =
        ApiServer::instance().ask("GET", "/v1/views/" + c.path, "", "", Role::viewer);
    EXPECT_EQ(answer.status, 400) << c.path;
    EXPECT_EQ(pointers_of(problem_of(answer)), c.pointers) << c.path;
  }
  for (const std::string& path :
       {"campaigns/" + none, "candidates/" + none, "jobs/" + none,
        std::string("targets/nothing/history"), std::string("targets/nothing/samples"),
        std::string("policies/nothing"), std::string("policies/viewed?from=1&to=77"),
        "explorer?program=" + std::string(64, 'e')}) {
    EXPECT_EQ(ApiServer::instance().ask("GET", "/v1/views/" + path, "", "", Role::viewer).status,
              404)
        << path;
  }
}

}  // namespace
}  // namespace hone
