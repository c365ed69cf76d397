// The dashboard's views, and the lists, as CSV.
#include <algorithm>

#include "tests/unit/server/api/viewed_campaign.h"

namespace hone {
namespace {

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
  register_target("viewed-next");  // so that there is a second page
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

// Requests of one token's that the route's handler answers, without running their streams.
Async<void> begin_samples(Api& api, std::size_t count, std::vector<Reply>& replies) {
  const std::vector<Route> routes = view_routes(api);
  const auto route = std::ranges::find(routes, "/v1/views/targets/{name}/samples", &Route::path);
  for (std::size_t i = 0; i < count; ++i) {
    Request request;
    request.path_values.emplace_back("name", "viewed");
    request.caller.token_id = "viewer";
    boost::asio::awaitable<Result<Reply>> replying = route->handler(request);
    Result<Reply> reply = co_await std::move(replying);
    HONE_CO_TRY(replies.emplace_back(), std::move(reply));
  }
  co_return Result<void>();
}

TEST_F(ApiViews, StreamsOfSamplesAreCounted) {
  const Result<std::string> went =
      ApiServer::instance().on_api<std::string>({}, [](Api& api) -> Async<std::string> {
        {
          std::vector<Reply> replies;
          const Result<void> all = co_await begin_samples(api, kMaxStreamsOfToken, replies);
          HONE_CO_CHECK(all);
          const Result<void> refused = co_await begin_samples(api, 1, replies);
          if (refused || refused.error().code != ErrorCode::resource_exhausted) {
            co_return std::string("one more is served");
          }
        }
        co_return std::to_string(api.streams.size());
      });
  ASSERT_TRUE(went) << went.error().describe();
  EXPECT_EQ(*went, "0");
}

}  // namespace
}  // namespace hone
