#include "server/api/queue_quota.h"

#include <gtest/gtest.h>

#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

Result<std::vector<std::string>> submit(const std::string& target, int jobs,
                                        const std::string& key) {
  Json batch = Json::array();
  for (int i = 0; i < jobs; ++i) {
    batch.push_back({{"target", target}, {"rules", Json::array({knob_rule(2)})}});
  }
  RequestOptions options;
  options.headers = {{"Idempotency-Key", key}};
  const Result<Json> made = ApiServer::instance()
                                .client(Role::submitter)
                                .post("/v1/jobs", Json{{"jobs", batch}}, options);
  if (!made) {
    return made.error();
  }
  std::vector<std::string> ids;
  for (const Json& job : (*made)["jobs"]) {
    ids.push_back(job["id"].get<std::string>());
  }
  return ids;
}

TEST(QueueQuota, CountsWhatATokenHasInTheQueue) {
  register_target("many");
  const Result<std::vector<std::string>> ids = submit("many", 3, "quota");
  ASSERT_TRUE(ids) << ids.error().describe();
  const std::string job = ids->front();
  const Result<std::string> went =
      ApiServer::instance().on_store<std::string>([&](Store& store) -> Async<std::string> {
        const Result<std::vector<TokenView>> tokens = co_await store.tokens().list();
        HONE_CO_CHECK(tokens);
        std::string token;
        std::string other;
        for (const TokenView& view : *tokens) {
          (view.name == "submitter" ? token : other) = view.id;
        }
        QueueQuota quota(store, 5);
        const Result<void> two = co_await quota.admit(token, "submitter", 2);
        HONE_CO_CHECK(two);
        const Result<void> one = co_await quota.admit(token, "submitter", 1);
        if (one || one.error().code != ErrorCode::resource_exhausted) {
          co_return std::string("a sixth job is taken");
        }
        const Result<void> others = co_await quota.admit(other, "other", 5);
        HONE_CO_CHECK(others);
        QueueQuota endless(store, 0);
        const Result<void> any = co_await endless.admit(token, "submitter", 1'000'000);
        HONE_CO_CHECK(any);
        co_return std::string();
      });
  EXPECT_TRUE(went) << went.error().describe();
  EXPECT_EQ(*went, "");
  for (const std::string& id : *ids) {
    ApiServer::instance().client().post("/v1/jobs/" + id + "/cancel", Json::object());
  }
}

}  // namespace
}  // namespace hone
