#include "tests/unit/server/api/viewed_campaign.h"

#include "server/campaigns/controller.h"

namespace hone {
namespace {

Async<void> advance_all(Store& store) {
  Result<std::vector<DueCampaign>> due = co_await store.campaigns().due();
  HONE_CO_TRY(const std::vector<DueCampaign> campaigns, std::move(due));
  for (const DueCampaign& one : campaigns) {
    const Result<void> step = co_await advance_campaign(store, one);
    HONE_CO_CHECK(step);
  }
  co_return Result<void>();
}

}  // namespace

std::string ApiViews::campaign_;

void ApiViews::SetUpTestSuite() {
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

Json ApiViews::view(const std::string& path, Role role) {
  const Result<Json> answer = ApiServer::instance().client(role).get("/v1/views/" + path);
  EXPECT_TRUE(answer.has_value()) << path << ": " << answer.error().describe();
  return answer.has_value() ? *answer : Json::object();
}

RawResponse ApiViews::csv(const std::string& path) {
  const RawResponse answer = ApiServer::instance().ask("GET", path, "", "", Role::viewer);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_TRUE(answer.header("Content-Type").starts_with("text/csv")) << path;
  EXPECT_TRUE(answer.header("Content-Disposition").starts_with("attachment; filename=\""));
  return answer;
}

std::size_t ApiViews::rows_of(const Json& table) {
  const auto rows = table["rows"].get<std::size_t>();
  for (const auto& [name, column] : table["columns"].items()) {
    EXPECT_EQ(column.size(), rows) << name;
  }
  return rows;
}

void ApiViews::expect_schema(const Json& value, const std::string& name) {
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

void ApiViews::add_set(std::initializer_list<int> knobs) {
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

void ApiViews::measure(const Json& result) {
  const Result<Json> lease =
      worker().post("/v1/leases", Json{{"version", 1}, {"worker", "viewed"}, {"wait_seconds", 0}});
  ASSERT_TRUE(lease.has_value() && !lease->is_null()) << "no job";
  const Result<Json> counted =
      worker().post("/v1/leases/" + text_of(*lease, "attempt") + "/complete", result);
  ASSERT_TRUE(counted.has_value()) << counted.error().describe();
}

void ApiViews::advance() {
  ASSERT_TRUE(ApiServer::instance()
                  .on_store<void>([](Store& store) { return advance_all(store); })
                  .has_value());
}

}  // namespace hone
