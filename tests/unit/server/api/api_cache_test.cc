// What is answered from memory, and that it is never what was changed since: by this honed, or by
// another one over the same database.
#include <chrono>
#include <thread>

#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

#include "server/api/policy_cache.h"
#include "server/api/token_cache.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

// Well below the five seconds after which everything is asked for again anyway.
constexpr std::chrono::seconds kSoon{3};

// Another coordinator over the same database does something.
template <class T>
Result<T> elsewhere(std::function<Async<T>(Store&)> work) {
  const std::string url = ApiServer::instance().database_url();
  return ApiServer::instance().on_store<T>([&](Store&) -> Async<T> {
    StoreOptions options;
    options.database_url = url;
    auto executor = co_await boost::asio::this_coro::executor;
    Result<std::unique_ptr<Store>> opened = co_await Store::open(executor, options);
    HONE_CO_TRY(const std::unique_ptr<Store> other, std::move(opened));
    Result<T> done = co_await work(*other);
    other->close();
    co_return done;
  });
}

template <class Condition>
bool soon(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kSoon;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// Publishes a policy with one rule of that count, and gives its version.
std::int64_t publish(const std::string& target, int count) {
  Json document = Json::parse(R"({"format":1,"sequence":1,
      "compiler":{"family":"clang","major":19},"rules":[]})");
  document["target"] = target;
  document["rules"].push_back(knob_rule(count));
  const Result<Json> made =
      ApiServer::instance().client().post("/v1/policies/" + target, Json{{"document", document}});
  EXPECT_TRUE(made) << made.error().describe();
  return made ? (*made)["version"].get<std::int64_t>() : 0;
}

void promote(const std::string& target, std::int64_t version) {
  const Result<Json> promoted = ApiServer::instance().client().post(
      "/v1/policies/" + target + "/versions/" + std::to_string(version) + "/promote",
      Json::object());
  EXPECT_TRUE(promoted) << promoted.error().describe();
}

std::string served_version(const std::string& target) {
  const Result<Response> got =
      ApiServer::instance().client().exchange("GET", "/v1/policies/" + target, "");
  return got ? std::string(got->header("hone-policy-version")) : got.error().message;
}

TEST(ApiCache, APromotionIsSeenByTheNextRead) {
  register_target("cached");
  for (int i = 1; i <= 10; ++i) {
    const std::int64_t version = publish("cached", i);
    ASSERT_EQ(version, i);
    promote("cached", version);
    for (int again = 0; again < 3; ++again) {
      EXPECT_EQ(served_version("cached"), std::to_string(i));
    }
  }
  const Result<Json> rolled = ApiServer::instance().client().post(
      "/v1/policies/cached/versions/3/rollback", Json::object());
  ASSERT_TRUE(rolled) << rolled.error().describe();
  EXPECT_EQ(served_version("cached"), "11");
}

TEST(ApiCache, APromotionElsewhereIsSeenSoon) {
  register_target("cached-elsewhere");
  promote("cached-elsewhere", publish("cached-elsewhere", 2));
  ASSERT_EQ(publish("cached-elsewhere", 4), 2);
  ASSERT_EQ(served_version("cached-elsewhere"), "1");
  const Result<PolicyVersion> promoted = elsewhere<PolicyVersion>(
      [](Store& other) { return other.policies().promote("cached-elsewhere", 2); });
  ASSERT_TRUE(promoted) << promoted.error().describe();
  EXPECT_TRUE(soon([] { return served_version("cached-elsewhere") == "2"; }));
}

TEST(ApiCache, AnUnchangedPolicyIsNotSentAgain) {
  register_target("unchanged");
  promote("unchanged", publish("unchanged", 2));
  ApiServer& server = ApiServer::instance();
  const RawResponse whole = server.ask("GET", "/v1/policies/unchanged", "");
  const std::string etag = whole.header("ETag");
  ASSERT_NE(etag, "");
  for (int i = 0; i < 3; ++i) {
    const RawResponse same =
        server.ask("GET", "/v1/policies/unchanged", "If-None-Match: " + etag + "\r\n");
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.header("ETag"), etag);
    EXPECT_EQ(same.header("Hone-Policy-Version"), "1");
    const RawResponse other =
        server.ask("GET", "/v1/policies/unchanged", "If-None-Match: \"other\"\r\n");
    EXPECT_EQ(other.status, 200);
    EXPECT_EQ(other.body, whole.body);
  }
  const RawResponse head = server.ask("HEAD", "/v1/policies/unchanged", "");
  EXPECT_EQ(head.header("Content-Length"), std::to_string(whole.body.size()));
  EXPECT_EQ(server.ask("GET", "/v1/policies/unchanged?version=1", "").body, whole.body);
  EXPECT_EQ(server.ask("GET", "/v1/policies/unchanged", "", "", Role::worker).status, 403);
}

TEST(ApiCache, ARevokedTokenIsRefusedAtOnce) {
  ApiServer& server = ApiServer::instance();
  const Client admin = server.client();
  for (int i = 0; i < 3; ++i) {
    const Result<Json> made =
        admin.post("/v1/tokens", Json{{"name", "revoked-here"}, {"role", "viewer"}});
    ASSERT_TRUE(made) << made.error().describe();
    const auto secret = (*made)["token"].get<std::string>();
    EXPECT_EQ(server.ask_as(secret, "GET", "/v1/jobs", "").status, 200);
    EXPECT_EQ(server.ask_as(secret, "GET", "/v1/jobs", "").status, 200);
    ASSERT_TRUE(admin.remove("/v1/tokens/" + (*made)["id"].get<std::string>()));
    EXPECT_EQ(server.ask_as(secret, "GET", "/v1/jobs", "").status, 401);
  }
}

TEST(ApiCache, ATokenRevokedElsewhereIsRefusedSoon) {
  ApiServer& server = ApiServer::instance();
  const Result<Json> made =
      server.client().post("/v1/tokens", Json{{"name", "revoked-elsewhere"}, {"role", "viewer"}});
  ASSERT_TRUE(made) << made.error().describe();
  const auto secret = (*made)["token"].get<std::string>();
  ASSERT_EQ(server.ask_as(secret, "GET", "/v1/jobs", "").status, 200);
  const auto id = (*made)["id"].get<std::string>();
  const Result<void> revoked =
      elsewhere<void>([&id](Store& other) { return other.tokens().revoke(id); });
  ASSERT_TRUE(revoked) << revoked.error().describe();
  EXPECT_TRUE(soon([&] { return server.ask_as(secret, "GET", "/v1/jobs", "").status == 401; }));
}

TEST(ApiCache, MemoryAnswersUntilSomethingChanges) {
  register_target("remembered");
  promote("remembered", publish("remembered", 2));
  const std::string& secret = ApiServer::instance().token(Role::viewer);
  // Not notified meanwhile: other tests of this program run one after the other.
  const Result<std::string> went =
      ApiServer::instance().on_store<std::string>([&](Store& store) -> Async<std::string> {
        PolicyCache policies(store);
        TokenCache tokens(store);
        if (policies.known("remembered", "") || tokens.known(secret)) {
          co_return std::string("known before anything was looked up");
        }
        // The notification of what was published above may come late, and makes it unknown again.
        bool known_afterwards = false;
        for (int i = 0; i < 20 && !known_afterwards; ++i) {
          const Result<Reply> looked = co_await policies.look_up("remembered", "");
          if (!looked) {
            co_return looked.error();
          }
          const Result<Caller> caller = co_await tokens.look_up(secret);
          HONE_CO_CHECK(caller);
          const auto whole = policies.known("remembered", "\"another\"");
          const auto same = policies.known("remembered", looked->headers.at(0).second);
          known_afterwards = whole && whole->status == 200 && same && same->status == 304 &&
                             tokens.known(secret) != nullptr;
        }
        if (!known_afterwards) {
          co_return std::string("not known afterwards");
        }
        std::string wrong = secret;
        wrong.back() = wrong.back() == '0' ? '1' : '0';
        if (tokens.known(wrong) || tokens.known(secret + "0") || policies.known("other", "")) {
          co_return std::string("something else is known");
        }
        const Result<NewToken> made = co_await store.tokens().create("unrelated", Role::viewer, {});
        HONE_CO_CHECK(made);
        if (!tokens.known(secret)) {
          co_return std::string("a new token makes no known one unknown");
        }
        store.notifications().note(Channel::tokens);
        if (tokens.known(secret) || !policies.known("remembered", "")) {
          co_return std::string("a change of tokens drops tokens, and only those");
        }
        store.notifications().note(Channel::policies);
        co_return std::string(policies.known("remembered", "") ? "a change drops policies" : "");
      });
  ASSERT_TRUE(went) << went.error().describe();
  EXPECT_EQ(*went, "");
}

TEST(ApiCache, AStoppingHonedIsNotReadyAndGivesNoLease) {
  ApiServer& server = ApiServer::instance();
  EXPECT_EQ(server.ask("GET", "/readyz", "").status, 200);
  server.set_draining(true);
  const RawResponse ready = server.ask("GET", "/readyz", "");
  const RawResponse lease =
      server.ask("POST", "/v1/leases", "Content-Type: application/json\r\n",
                 R"({"version":1,"worker":"w-draining","wait_seconds":0})", Role::worker);
  const RawResponse health = server.ask("GET", "/healthz", "");
  server.set_draining(false);
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.header("Retry-After"), "1");
  EXPECT_EQ(lease.status, 503);
  EXPECT_EQ(health.status, 200) << "it lives";
}

}  // namespace
}  // namespace hone
