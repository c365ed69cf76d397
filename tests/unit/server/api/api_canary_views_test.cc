// The dashboard's views of canaries: each window as it was, lost ones as nothing, what could be
// known after each, who may decide, and the error budget.
#include <algorithm>
#include <cmath>

#include "server/canaries/window_json.h"
#include "tests/unit/server/api/api_server.h"
#include "tests/unit/server/api/route_table.h"

namespace hone {
namespace {

constexpr std::size_t kLost = 5;  // the window that tells nothing
constexpr std::size_t kWindows = 30;
const BucketBounds kBounds{0.01, 0.02, 0.04, 0.08, 0.16, 0.32};

Json view(const std::string& path, Role role = Role::viewer) {
  const Result<Json> answer = ApiServer::instance().client(role).get("/v1/views/" + path);
  EXPECT_TRUE(answer.has_value()) << path << ": " << answer.error().describe();
  return answer.has_value() ? *answer : Json::object();
}

// 500 requests, of which `slow` are in the upper buckets.
GroupWindow group(double slow, std::size_t number) {
  const double wobble = static_cast<double>(number % 3);
  GroupWindow window;
  window.latencies = {100, 200, 200 - slow - wobble, slow + wobble - 10, 8, 2, 0};
  window.requests = 500;
  window.failures = 1;
  window.cpu_seconds = 1 + wobble / 100;
  return window;
}

CanaryStep step_of(std::size_t number) {
  CanaryWindow row;
  row.number = static_cast<std::int64_t>(number);
  row.start = 1'700'000'000 + 10 * static_cast<double>(number);
  row.seconds = 10;
  row.share = 5;
  GroupWindow canary = group(40, number + 1);
  if (number == kLost) {
    canary.outcome = WindowOutcome::scrape_gap;
  }
  row.baseline = to_json(group(30, number));
  row.baseline["bounds"] = kBounds;
  row.canary = to_json(canary);
  CanaryStep step;
  step.status = {.state = CanaryState::ramping, .step = 1, .share = 5, .reason = "a test"};
  step.follows = true;
  step.window = row;
  return step;
}

Async<CanaryView> fill(Store& store, std::string id) {
  Result<CanaryView> found = co_await store.canaries().find(id);
  HONE_CO_TRY(CanaryView canary, std::move(found));
  for (std::size_t number = 0; number < kWindows; ++number) {
    Result<CanaryView> next =
        co_await store.canaries().advance(canary.id, canary.revision, step_of(number));
    HONE_CO_TRY(canary, std::move(next));
  }
  CanaryStep last;
  last.status = {.state = CanaryState::rolled_back,
                 .reason = "<b>latency_p95 is worse</b>",
                 .cause = CanaryCause::harm};
  last.budget = to_json(BudgetState{.allowed = 10, .left_share = -0.5}, ServedRequests{100, 15, 3});
  last.judgement = Json{{"finding", "worse"},
                        {"windows_left_out", {{"scrape_gap", 1}}},
                        {"slis",
                         {{{"sli", "latency_p50"},
                           {"finding", "insufficient_traffic"},
                           {"baseline", 0.5},
                           {"canary", 0.5},
                           {"windows", 1},
                           {"detectable", 0},
                           {"reward", {{"value", 0}, {"low", nullptr}, {"high", nullptr}}}}}}};
  Result<CanaryView> ended =
      co_await store.canaries().advance(canary.id, canary.revision, std::move(last));
  co_return ended;
}

class ApiCanaryViews : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Client admin = ApiServer::instance().client();
    register_target("tried");
    const Json document{{"format", 1},
                        {"target", "tried"},
                        {"sequence", 1},
                        {"compiler", {{"family", "clang"}, {"major", 19}}},
                        {"rules", Json::array()}};
    const Json policy{{"document", document}, {"signature", nullptr}};
    ASSERT_TRUE(admin.post("/v1/policies/tried", policy).has_value());
    Json service = example_service("tried");
    service["limits"] = Json::array({{{"sli", "latency_p99"}, {"limit", 0.5}}});
    ASSERT_TRUE(admin.put("/v1/targets/tried/service", service).has_value());
    const Result<Json> made =
        admin.post("/v1/canaries", Json{{"target", "tried"}, {"policy_version", 1}});
    ASSERT_TRUE(made.has_value()) << made.error().describe();
    id_ = (*made)["id"].get<std::string>();
    const Result<CanaryView> filled =
        ApiServer::instance().on_store<CanaryView>([](Store& store) { return fill(store, id_); });
    ASSERT_TRUE(filled.has_value()) << filled.error().describe();
  }

  static std::string id_;
};

std::string ApiCanaryViews::id_;

TEST_F(ApiCanaryViews, AListHasEachWithItsEndAndEachServiceWithItsBudget) {
  const Json all = view("canaries?target=tried");
  ASSERT_EQ(all["canaries"].size(), 1U);
  EXPECT_EQ(all["total"], 1);
  const Json& canary = all["canaries"][0];
  EXPECT_EQ(canary["state"], "rolled_back");
  EXPECT_EQ(canary["windows"], kWindows);
  EXPECT_EQ(canary["lost_windows"], 1);
  EXPECT_EQ(canary["cause"], "harm");
  EXPECT_TRUE(canary["so_far"].is_null()) << "too little traffic is no reward of 0";
  EXPECT_TRUE(canary["reward"].is_null());
  ASSERT_EQ(all["services"].size(), 1U);
  EXPECT_EQ(all["services"][0]["stopped"], true);
  EXPECT_EQ(all["services"][0]["stopped_since"], all["services"][0]["budget_at"]);
  EXPECT_DOUBLE_EQ(all["services"][0]["budget"]["left_share"].get<double>(), -0.5);
  EXPECT_EQ(view("canaries?target=tried&state=promoted")["canaries"].size(), 0U);
}

TEST_F(ApiCanaryViews, WindowsThatWereLostHaveNoNumbers) {
  const Json shown = view("canaries/" + id_);
  const Json& windows = shown["windows"]["columns"];
  ASSERT_EQ(shown["windows"]["rows"], kWindows);
  EXPECT_EQ(windows["canary"][kLost], "scrape_gap");
  EXPECT_TRUE(windows["canary_requests"][kLost].is_null());
  EXPECT_EQ(windows["baseline_requests"][kLost], 500);
  const Json& ratios = shown["ratios"]["columns"];
  ASSERT_EQ(shown["ratios"]["rows"], 6 * kWindows);
  for (std::size_t row = 0; row < 6 * kWindows; ++row) {
    const bool lost = ratios["window"][row] == kLost;
    EXPECT_EQ(ratios["own"][row].is_null(), lost) << row;
    EXPECT_EQ(ratios["canary"][row].is_null(), lost) << row;
  }
}

TEST_F(ApiCanaryViews, EachWindowSaysWhatCouldBeKnownThen) {
  const Json ratios = view("canaries/" + id_)["ratios"]["columns"];
  std::vector<double> widths;
  for (std::size_t row = 0; row < 6 * kWindows; ++row) {
    if (ratios["sli"][row] == "latency_p95" && ratios["low"][row].is_number()) {
      widths.push_back(ratios["high"][row].get<double>() - ratios["low"][row].get<double>());
      EXPECT_GT(ratios["detectable"][row], 0);
      EXPECT_LT(ratios["value"][row], 0) << "the canary's p95 is worse";
    }
  }
  ASSERT_GT(widths.size(), kWindows / 2);
  EXPECT_LT(widths.back(), widths.front()) << "more windows, more certainty";
  EXPECT_EQ(ratios["finding"].back(), "harmless") << "the last is judged whatever is left out";
}

TEST_F(ApiCanaryViews, WhoHasTheFirstWindowsGetsTheRest) {
  const Json whole = view("canaries/" + id_);
  const Json rest = view("canaries/" + id_ + "?since=28");
  EXPECT_EQ(rest["windows"]["columns"]["number"], Json({28, 29}));
  EXPECT_EQ(rest["ratios"]["rows"], 12);
  EXPECT_EQ(rest["ratios"]["columns"]["low"].back(), whole["ratios"]["columns"]["low"].back());
  EXPECT_EQ(view("canaries/" + id_ + "?since=1000")["windows"]["rows"], 0);
}

TEST_F(ApiCanaryViews, WhatWasNotJudgedHasNoNumbersAndLimitsStandBeside) {
  const Json indicators = view("canaries/" + id_)["indicators"];
  ASSERT_EQ(indicators.size(), 6U);
  EXPECT_TRUE(indicators[0]["reward"]["value"].is_null());
  EXPECT_TRUE(indicators[0]["detectable"].is_null());
  EXPECT_EQ(indicators[1]["finding"], "no_data");
  EXPECT_TRUE(indicators[1]["canary"].is_null());
  for (const Json& indicator : indicators) {
    EXPECT_EQ(indicator["limit"].is_number(), indicator["sli"] == "latency_p99");
  }
}

TEST_F(ApiCanaryViews, OnlyWhoMayIsOfferedADecision) {
  EXPECT_EQ(view("canaries/" + id_, Role::admin)["may_decide"], true);
  EXPECT_EQ(view("canaries/" + id_, Role::viewer)["may_decide"], false);
  EXPECT_EQ(view("canaries/" + id_, Role::submitter)["may_decide"], false) << "it takes a grant";
  const Client admin = ApiServer::instance().client();
  const Result<Json> token = admin.post(
      "/v1/tokens",
      Json{{"name", "tried-promoter"},
           {"role", "submitter"},
           {"grants", Json::array({{{"target", "tried"}, {"rights", {"read", "promote"}}}})}});
  ASSERT_TRUE(token.has_value()) << token.error().describe();
  const RawResponse answer = ApiServer::instance().ask_as((*token)["token"].get<std::string>(),
                                                          "GET", "/v1/views/canaries/" + id_, "");
  EXPECT_EQ((*parse_json(answer.body))["may_decide"], true);
}

TEST_F(ApiCanaryViews, TheOverviewTellsOfARollBackAndASpentBudget) {
  std::vector<std::string> kinds;
  const Json attention = view("overview")["attention"];
  for (const Json& item : attention) {
    if (item["target"] == "tried") {
      kinds.push_back(item["kind"].get<std::string>());
      EXPECT_EQ(item["canary"], item["kind"] == "spent_budget" ? Json() : Json(id_))
          << "it was not ended by the budget";
    }
  }
  std::ranges::sort(kinds);
  EXPECT_EQ(kinds, (std::vector<std::string>{"rolled_back_canary", "spent_budget"}));
}

TEST_F(ApiCanaryViews, EveryTableIsACsvFile) {
  const auto csv = [](const std::string& query) {
    const RawResponse answer =
        ApiServer::instance().ask("GET", "/v1/views/canaries" + query, "", "", Role::viewer);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_TRUE(answer.header("Content-Type").starts_with("text/csv")) << query;
    return std::ranges::count(answer.body, '\n');
  };
  EXPECT_GE(csv("?format=csv"), 2);
  EXPECT_GE(csv("?format=csv&table=services"), 2);
  EXPECT_EQ(csv("/" + id_ + "?format=csv"), 7);
  EXPECT_EQ(csv("/" + id_ + "?format=csv&table=windows"), kWindows + 1);
  EXPECT_EQ(csv("/" + id_ + "?format=csv&table=ratios"), 6 * kWindows + 1);
  EXPECT_GE(csv("/" + id_ + "?format=csv&table=decisions"), 3);
}

TEST_F(ApiCanaryViews, BadParametersAreNamed) {
  const std::string none = "00000000-0000-4000-8000-000000000000";
  for (const auto& [path, pointer] :
       {std::pair<std::string, std::string>{"canaries?state=dead", "/state"},
        {"canaries?target=No", "/target"},
        {"canaries?table=secrets", "/table"},
        {"canaries/x", "/id"},
        {"canaries/" + none + "?since=-1", "/since"}}) {
    const RawResponse answer =
        ApiServer::instance().ask("GET", "/v1/views/" + path, "", "", Role::viewer);
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_EQ(pointers_of(problem_of(answer)), std::vector<std::string>{pointer}) << path;
  }
  EXPECT_EQ(
      ApiServer::instance().ask("GET", "/v1/views/canaries/" + none, "", "", Role::viewer).status,
      404);
}

}  // namespace
}  // namespace hone
