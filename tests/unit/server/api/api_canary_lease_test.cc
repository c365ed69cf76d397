// What balancers ask twice a second: counted each time, logged when the answer changes.
#include <algorithm>
#include <chrono>

#include "common/base/log.h"
#include "tests/unit/server/api/api_server.h"
#include "tests/unit/server/api/route_table.h"

namespace hone {
namespace {

std::string canary_of(const std::string& target) {
  const Client admin = ApiServer::instance().client();
  register_target(target);
  const Json document{{"format", 1},
                      {"target", target},
                      {"sequence", 1},
                      {"compiler", {{"family", "clang"}, {"major", 19}}},
                      {"rules", Json::array()}};
  EXPECT_TRUE(
      admin.post("/v1/policies/" + target, Json{{"document", document}, {"signature", nullptr}}));
  Json service = example_service(target);
  EXPECT_TRUE(admin.put("/v1/targets/" + target + "/service", service));
  const Result<Json> made =
      admin.post("/v1/canaries", Json{{"target", target}, {"policy_version", 1}});
  EXPECT_TRUE(made) << made.error().describe();
  return made ? (*made)["id"].get<std::string>() : "";
}

void serve(const std::string& id, int share) {
  const Result<CanaryView> changed =
      ApiServer::instance().on_store<CanaryView>([id, share](Store& store) {
        return store.canaries().change(id, [share](CanaryStatus status) -> Result<CanaryStatus> {
          status.state = share > 0 ? CanaryState::ramping : CanaryState::aborted;
          status.share = share;
          return status;
        });
      });
  ASSERT_TRUE(changed) << changed.error().describe();
  if (share == 0) {
    return;
  }
  ApiServer::instance().sql("UPDATE canaries SET owner = 'a test' WHERE id = '" + id + "'");
  const std::int64_t revision = changed->revision;
  const Result<void> renewed = ApiServer::instance().on_store<void>([id, revision](Store& store) {
    return store.canaries().renew_serving(id, "a test", revision, 60);
  });
  ASSERT_TRUE(renewed) << renewed.error().describe();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// The number that stands behind a series' name.
int count_of(const std::string& metrics, const std::string& series) {
  const std::size_t at = metrics.find(series);
  return at == std::string::npos ? -1 : std::stoi(metrics.substr(at + series.size()));
}

TEST(ApiCanaryLease, IsLoggedWhenItChangesAndCountedAlways) {
  ApiServer& server = ApiServer::instance();
  const std::string id = canary_of("leased");
  const std::string given_checks = "hone_canary_lease_checks_total{answer=\"given\"} ";
  const Result<Response> first = server.client(Role::viewer).exchange("GET", "/metrics", "");
  ASSERT_TRUE(first);
  const int before = count_of(first->body, given_checks);
  int given = 0;
  const auto ask = [&] {
    const int status = server.ask("GET", "/v1/canaries/" + id + "/lease", "").status;
    given += status == 200 ? 1 : 0;
    return status;
  };
  // What another honed changed is known a moment later.
  const auto comes_to = [&](int status) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int now = ask();
    while (now != status && std::chrono::steady_clock::now() < end) {
      now = ask();
    }
    return now == status;
  };
  set_log_level(LogLevel::info);
  testing::internal::CaptureStderr();
  EXPECT_EQ(ask(), 503) << "it was only prepared";
  serve(id, 5);
  EXPECT_TRUE(comes_to(200));
  EXPECT_EQ(ask(), 200);
  serve(id, 0);
  EXPECT_TRUE(comes_to(503));
  EXPECT_EQ(ask(), 503);
  const Result<Response> metrics = server.client(Role::viewer).exchange("GET", "/metrics", "");
  const std::string log = testing::internal::GetCapturedStderr();
  set_log_level(LogLevel::off);  // as ApiServer has it
  EXPECT_EQ(count(log, "canary_lease_given"), 1U) << log;
  EXPECT_EQ(count(log, "canary_lease_refused"), 1U) << log;
  EXPECT_EQ(count(log, "/v1/canaries/{id}/lease"), 0U) << "503 is an answer there: " << log;
  ASSERT_TRUE(metrics);
  EXPECT_EQ(count_of(metrics->body, given_checks), before + given);
  for (const char* part :
       {"hone_canary_rewards_missing ", "hone_canary_reward_failures_total{error=\"permanent\"} 0",
        "hone_canary_lease_checks_total{answer=\"refused\"}", "hone_canaries{state=\"ramping\"}",
        "hone_error_budgets{state=\"unknown\"}", "hone_canary_windows_total{outcome=\"ok\"}"}) {
    EXPECT_NE(metrics->body.find(part), std::string::npos) << part << "\n" << metrics->body;
  }
}

TEST(ApiMetrics, AConfinedTokenIsToldOfItsTargetsOnly) {
  ApiServer& server = ApiServer::instance();
  ASSERT_FALSE(canary_of("metrics-seen").empty());
  ASSERT_FALSE(canary_of("metrics-hidden").empty());
  const Result<Json> made = server.client().post(
      "/v1/tokens", Json{{"name", "metrics-reader"},
                         {"role", "viewer"},
                         {"grants", Json::array({Json{{"target", "metrics-seen"}}})}});
  ASSERT_TRUE(made) << made.error().describe();
  const std::string secret = (*made)["token"].get<std::string>();
  const auto all = [&] { return server.ask("GET", "/metrics", "").body; };
  const std::string hidden = "target=\"metrics-hidden\"";
  // Gauges of the store are asked for every few seconds.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (all().find(hidden) == std::string::npos && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_NE(all().find(hidden), std::string::npos);
  const std::string text = server.ask_as(secret, "GET", "/metrics", "").body;
  EXPECT_EQ(text.find("metrics-hidden"), std::string::npos) << text;
  EXPECT_NE(text.find("hone_canary_share_percent{target=\"metrics-seen\"}"), std::string::npos)
      << text;
  EXPECT_NE(text.find("hone_build_info{"), std::string::npos) << text;
}

// What is changed through this honed is known at once.
TEST(ApiCanaryLease, IsRefusedAsSoonAsItIsEnded) {
  ApiServer& server = ApiServer::instance();
  const std::string id = canary_of("lease-ended");
  const auto ask = [&] { return server.ask("GET", "/v1/canaries/" + id + "/lease", "").status; };
  serve(id, 5);
  int status = ask();
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
       status != 200 && std::chrono::steady_clock::now() < end;) {
    status = ask();
  }
  EXPECT_EQ(status, 200);
  EXPECT_TRUE(server.client().post("/v1/canaries/" + id + "/abort", Json{{"reason", "a test"}}));
  EXPECT_EQ(ask(), 503);
}

TEST(ApiServices, AreListedWithTheirBudgetsAndWhatIsInForce) {
  ApiServer& server = ApiServer::instance();
  const std::string id = canary_of("listed-service");
  ASSERT_FALSE(id.empty());
  const Result<std::vector<UnaskedService>> asked = server.on_store<std::vector<UnaskedService>>(
      [](Store& store) { return store.services().take_unasked(0); });
  ASSERT_TRUE(asked) << asked.error().describe();
  const auto listed = std::ranges::find(*asked, "listed-service", &UnaskedService::target);
  ASSERT_NE(listed, asked->end());
  const Result<void> noted = server.on_store<void>([&](Store& store) {
    return store.services().note_budget(*listed, Json{{"left_share", 0.0}, {"spent", true}});
  });
  ASSERT_TRUE(noted) << noted.error().describe();
  const Client admin = server.client();
  const auto find = [&] {
    const Json all = admin.get("/v1/services?limit=1000").value();
    for (const Json& item : all["items"]) {
      if (item["target"] == "listed-service") {
        return item;
      }
    }
    return Json();
  };
  EXPECT_EQ(find()["canary"], id);
  EXPECT_EQ(find()["budget"]["spent"], true);
  EXPECT_FALSE(find()["budget_at"].is_null());
  EXPECT_TRUE(find()["policy_in_force"].is_null());
  // Nothing is in force yet, so that nothing is known to be good: the first may be promoted.
  const std::string policies = "/v1/policies/listed-service/versions/";
  EXPECT_TRUE(admin.post(policies + "1/promote", Json::object()));
  EXPECT_EQ(find()["policy_in_force"], 1);
  const Json next{{"document",
                   {{"format", 1},
                    {"target", "listed-service"},
                    {"sequence", 2},
                    {"compiler", {{"family", "clang"}, {"major", 19}}},
                    {"rules", Json::array()}}},
                  {"signature", nullptr}};
  ASSERT_TRUE(admin.post("/v1/policies/listed-service", next));
  const Result<Json> refused = admin.post(policies + "2/promote", Json::object());
  ASSERT_FALSE(refused) << "the budget is spent";
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_TRUE(admin.post(policies + "1/rollback", Json::object())) << "going back is possible";
  EXPECT_TRUE(admin.put("/v1/targets/listed-service/service", find()["service"]));
  EXPECT_TRUE(find()["budget"].is_null()) << "an objective described anew";
  EXPECT_TRUE(admin.post("/v1/canaries/" + id + "/abort", Json{{"reason", "a test"}}));
}

}  // namespace
}  // namespace hone
