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
        for (const TokenView& view : *tokens) {
          token = view.name == "submitter" ? view.id : token;
        }
        const Result<NewToken> other =
            co_await store.tokens().create("quota-other", Role::submitter);
        HONE_CO_CHECK(other);
        // Other tests of this server may have left some of this token's.
        const Result<std::int64_t> queued = co_await store.jobs().count_queued_of(token, 1'000);
        HONE_CO_CHECK(queued);
        QueueQuota quota(store, *queued + 2);
        {
          Result<QueueQuota::Room> asked = co_await quota.admit(token, "submitter", 2);
          HONE_CO_TRY([[maybe_unused]] const QueueQuota::Room unused, std::move(asked));
        }
        Result<QueueQuota::Room> asked = co_await quota.admit(token, "submitter", 2);
        HONE_CO_TRY(QueueQuota::Room two, std::move(asked));
        const Result<QueueQuota::Room> beside = co_await quota.admit(token, "submitter", 1);
        if (beside || beside.error().code != ErrorCode::resource_exhausted) {
          co_return std::string("one more is taken while two are coming");
        }
        two.filled();
        const Result<QueueQuota::Room> one = co_await quota.admit(token, "submitter", 1);
        if (one || one.error().code != ErrorCode::resource_exhausted) {
          co_return std::string("one more is taken");
        }
        Result<QueueQuota::Room> others = co_await quota.admit(other->view.id, "quota-other", 5);
        HONE_CO_CHECK(std::move(others));
        QueueQuota endless(store, 0);
        Result<QueueQuota::Room> any = co_await endless.admit(token, "submitter", 1'000'000);
        HONE_CO_CHECK(std::move(any));
        co_return std::string();
      });
  ASSERT_TRUE(went) << went.error().describe();
  EXPECT_EQ(*went, "");
  for (const std::string& id : *ids) {
    ApiServer::instance().client().post("/v1/jobs/" + id + "/cancel", Json::object());
  }
}

// A submission as the route's handler gets it.
Async<Reply> submit_as(Api& api, std::string token, std::string key, std::string target, int jobs) {
  Json batch = Json::array();
  for (int i = 0; i < jobs; ++i) {
    batch.push_back({{"target", target}, {"priority", -100}});
  }
  Request request;
  request.method = HttpMethod::post;
  request.caller = {std::move(token), "quota-own", Role::submitter};
  request.headers.emplace_back("Idempotency-Key", key);
  request.body = dump_json(Json{{"jobs", batch}});
  const std::vector<Route> routes = job_routes(api);
  boost::asio::awaitable<Result<Reply>> replying = routes.front().handler(request);
  Result<Reply> reply = co_await std::move(replying);
  co_return reply;
}

// What became of one: its status, or its error's name.
Async<std::string> outcome_of(Api& api, std::string token, std::string key, std::string target,
                              int jobs) {
  Async<Reply> submitting =
      submit_as(api, std::move(token), std::move(key), std::move(target), jobs);
  const Result<Reply> reply = co_await std::move(submitting);
  co_return reply ? std::to_string(reply->status) : std::string(to_string(reply.error().code));
}

TEST(QueueQuota, IsUsedByWhatGetsIntoTheQueueAndAskedForNothingElse) {
  register_target("quota-own");
  ApiOptions options;
  options.queued_jobs = 3;
  using Outcomes = std::vector<std::string>;
  const Result<Outcomes> went =
      ApiServer::instance().on_api<Outcomes>(options, [](Api& api) -> Async<Outcomes> {
        const Result<NewToken> made =
            co_await api.store.tokens().create("quota-own", Role::submitter);
        HONE_CO_CHECK(made);
        Outcomes outcomes;
        const auto note = [&](Result<std::string> outcome) {
          outcomes.push_back(outcome ? *outcome : outcome.error().describe());
        };
        const std::string token = made->view.id;
        note(co_await outcome_of(api, token, "a bad key", "quota-own", 3));
        note(co_await outcome_of(api, token, "key-1", "no-such-target", 3));
        note(co_await outcome_of(api, token, "key-2", "quota-own", 3));
        note(co_await outcome_of(api, token, "key-2", "quota-own", 3));
        note(co_await outcome_of(api, token, "key-2", "quota-own", 2));
        note(co_await outcome_of(api, token, "key-3", "quota-own", 1));
        co_return outcomes;
      });
  ASSERT_TRUE(went) << went.error().describe();
  EXPECT_EQ(*went, (Outcomes{"invalid_argument", "invalid_argument", "201", "200", "conflict",
                             "resource_exhausted"}));
  const Client client = ApiServer::instance().client();
  const Result<Json> jobs = client.get("/v1/jobs?target=quota-own");
  ASSERT_EQ((*jobs)["items"].size(), 3U);
  for (const Json& job : (*jobs)["items"]) {
    client.post("/v1/jobs/" + text_of(job, "id") + "/cancel", Json::object());
  }
}

}  // namespace
}  // namespace hone
