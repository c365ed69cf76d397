// Leases: whose they are, when they end, and how workers wait for them.
#include <chrono>
#include <thread>

#include "tests/unit/server/api/job_flow.h"

namespace hone {
namespace {

class ApiLeases : public JobFlow {};

TEST_F(ApiLeases, ExpiredLeaseIsGoneAndItsJobGoesOn) {
  register_target("expiring");
  register_worker("w-slow");
  const std::string id = submit("expiring", "expire");
  const Result<Json> lease = claim("w-slow");
  ASSERT_TRUE(lease.has_value());
  std::vector<EndedLease> ended;
  ASSERT_TRUE(comes([&ended] {
    ended = ApiServer::instance().sweep();
    return !ended.empty();
  }));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].job, id);
  const Client worker = ApiServer::instance().client(Role::worker);
  EXPECT_EQ(worker.post(lease_path(*lease, "heartbeat"), Json::object()).error().code,
            ErrorCode::expired);
  EXPECT_EQ(
      worker.post(lease_path(*lease, "complete"), ok_result(0.1, 0.05, "faster")).error().code,
      ErrorCode::expired);
  EXPECT_EQ(worker.post(lease_path(*lease, "fail"), Json{{"reason", "late"}}).error().code,
            ErrorCode::expired);
  const RawResponse raw =
      ApiServer::instance().ask("POST", lease_path(*lease, "heartbeat"),
                                "Content-Type: application/json\r\n", "{}", Role::worker);
  EXPECT_EQ(raw.status, 410);

  const Result<Json> second = claim("w-slow");
  ASSERT_TRUE(second.has_value() && !second->is_null());
  EXPECT_EQ((*second)["job"], id);
  EXPECT_EQ((*second)["attempt_number"], 2);
  ASSERT_TRUE(worker.post(lease_path(*second, "fail"), Json{{"reason", "disk full"}}).has_value());
  const Json dead = job(id);  // two attempts were all it had
  EXPECT_EQ(dead["state"], "dead");
  EXPECT_NE(text_of(dead, "reason").find("disk full"), std::string::npos);
}

TEST_F(ApiLeases, LeaseOfAnotherTokenIsForbidden) {
  register_target("owned");
  register_worker("w-owner");
  submit("owned", "owned");
  const Result<Json> lease = claim("w-owner");
  ASSERT_TRUE(lease.has_value());
  const Client other = ApiServer::instance().client(Role::admin);
  EXPECT_EQ(other.post(lease_path(*lease, "heartbeat"), Json::object()).error().code,
            ErrorCode::permission_denied);
  EXPECT_TRUE(
      ApiServer::instance()
          .client(Role::worker)
          .post(lease_path(*lease, "fail"), Json{{"reason", "Ctrl-C"}, {"count_attempt", false}})
          .has_value());
  const Result<Json> again = claim("w-owner");
  ASSERT_TRUE(again.has_value() && !again->is_null());
  EXPECT_TRUE(
      ApiServer::instance()
          .client(Role::worker)
          .post(lease_path(*again, "complete"), Json{{"outcome", "build_failed"}, {"reason", "x"}})
          .has_value());
}

TEST_F(ApiLeases, BesideALeaseTheAnswerComesAtOnce) {
  register_target("beside");
  register_worker("w-beside");
  submit("beside", "beside");
  const Result<Json> lease = claim("w-beside");
  ASSERT_TRUE(lease.has_value() && !lease->is_null());
  EXPECT_TRUE((*lease)["campaign"].is_null());
  const auto ask = [](Role role, const std::string& attempt) {
    return ApiServer::instance().client(role).post(
        "/v1/leases",
        Json{{"version", 1}, {"worker", "w-beside"}, {"wait_seconds", 20}, {"beside", attempt}});
  };
  const auto started = std::chrono::steady_clock::now();
  const Result<Json> none = ask(Role::worker, text_of(*lease, "attempt"));
  ASSERT_TRUE(none.has_value()) << none.error().describe();
  EXPECT_TRUE(none->is_null());
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
  const Result<Json> others = ask(Role::admin, text_of(*lease, "attempt"));
  ASSERT_TRUE(others.has_error());
  EXPECT_EQ(others.error().code, ErrorCode::invalid_argument);
  ASSERT_EQ(others.error().fields.size(), 1U);
  EXPECT_EQ(others.error().fields[0].pointer, "/beside");
  EXPECT_TRUE(
      ApiServer::instance()
          .client(Role::worker)
          .post(lease_path(*lease, "complete"), Json{{"outcome", "build_failed"}, {"reason", "x"}})
          .has_value());
}

TEST_F(ApiLeases, LongPollIsWokenByANewJob) {
  register_target("awaited");
  register_worker("w-waiting");
  Result<Json> lease = fail(ErrorCode::internal, "not asked");
  const auto begin = std::chrono::steady_clock::now();
  std::thread waiting([&lease] { lease = claim("w-waiting", 20); });
  EXPECT_TRUE(comes([] { return are_waiting(1); }));
  const std::string id = submit("awaited", "awaited");
  waiting.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << "its patience";
  ASSERT_TRUE(lease.has_value() && !lease->is_null());
  EXPECT_EQ((*lease)["job"], id);
  ApiServer::instance()
      .client(Role::worker)
      .post(lease_path(*lease, "complete"), Json{{"outcome", "build_failed"}, {"reason", "x"}});
}

TEST_F(ApiLeases, LongPollEndsEmpty) {
  register_worker("w-idle");
  const RawResponse response = ApiServer::instance().ask(
      "POST", "/v1/leases", "Content-Type: application/json\r\n",
      R"({"version":1,"worker":"w-idle","wait_seconds":1})", Role::worker);
  EXPECT_EQ(response.status, 204);
}

TEST_F(ApiLeases, WorkerThatLeftItsPollGetsNoLease) {
  register_target("left-alone");
  register_worker("w-leaving");
  {
    RawHttpClient leaving(ApiServer::instance().port());
    const std::string body = R"({"version":1,"worker":"w-leaving","wait_seconds":30})";
    leaving.send("POST /v1/leases HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                 ApiServer::instance().token(Role::worker) +
                 "\r\nContent-Type: application/json\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_TRUE(comes([] { return are_waiting(1); }));
  }
  EXPECT_TRUE(comes([] { return are_waiting(0); }));
  const std::string id = submit("left-alone", "left-alone");
  // Whoever asks next has it, at its first attempt.
  register_worker("w-next");
  const Result<Json> lease = claim("w-next");
  ASSERT_TRUE(lease.has_value() && !lease->is_null());
  EXPECT_EQ((*lease)["job"], id);
  EXPECT_EQ((*lease)["attempt_number"], 1);
  EXPECT_TRUE(
      ApiServer::instance()
          .client(Role::worker)
          .post(lease_path(*lease, "complete"), Json{{"outcome", "build_failed"}, {"reason", "x"}})
          .has_value());
}

}  // namespace
}  // namespace hone
