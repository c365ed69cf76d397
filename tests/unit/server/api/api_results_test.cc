// Results of jobs: counted once, read back whole, failures with their reasons.
#include <algorithm>
#include <sstream>

#include "common/client/line_stream.h"
#include "tests/unit/server/api/job_flow.h"

namespace hone {
namespace {

class ApiResults : public JobFlow {};

TEST_F(ApiResults, ResultCountsOnce) {
  register_target("measured");
  register_worker("w-once");
  const std::string id = submit("measured", "once");
  const Result<Json> lease = claim("w-once");
  ASSERT_TRUE(lease.has_value()) << lease.error().describe();
  EXPECT_EQ((*lease)["job"], id);
  EXPECT_EQ((*lease)["target"]["name"], "measured");
  EXPECT_EQ((*lease)["rules"][0]["knobs"]["unroll-count"], "4");
  EXPECT_EQ(job(id)["state"], "leased");

  const Client worker = ApiServer::instance().client(Role::worker);
  const Result<Json> beat = worker.post(lease_path(*lease, "heartbeat"), Json::object());
  ASSERT_TRUE(beat.has_value()) << beat.error().describe();
  EXPECT_EQ((*beat)["cancelled"], false);

  const Json result = ok_result(0.02, 0.01, "faster");
  for (int i = 0; i < 2; ++i) {  // the same body again is the same answer
    const Result<Json> counted = worker.post(lease_path(*lease, "complete"), result);
    ASSERT_TRUE(counted.has_value()) << counted.error().describe();
    EXPECT_EQ((*counted)["counted"], true);
  }
  EXPECT_EQ(worker.post(lease_path(*lease, "complete"), ok_result(0.5, 0.4, "faster")).error().code,
            ErrorCode::conflict);

  const Json done = job(id, "?samples=1");
  EXPECT_EQ(done["state"], "done");
  EXPECT_EQ(done["outcome"], "ok");
  EXPECT_EQ(done["verdict"], "faster");
  EXPECT_DOUBLE_EQ(done["reward"]["value"].get<double>(), 0.02);
  EXPECT_EQ(done["result"]["samples"].size(), 24U);
  EXPECT_EQ(job(id)["result"]["samples"].size(), 0U);
  EXPECT_EQ(done["attempts"].size(), 1U);
  EXPECT_TRUE(parse_job_view(done).has_value());

  // One experience, as NDJSON, and the cursor goes on behind it.
  const Client learner = ApiServer::instance().client(Role::learner);
  int found = 0;
  std::string last;
  const Result<void> read = read_lines(learner, "/v1/experiences", "",
                                       [&](std::string_view block, const std::string& at) {
                                         std::istringstream lines{std::string(block)};
                                         for (std::string line; std::getline(lines, line);) {
                                           found += parse_json(line)->at("job") == id ? 1 : 0;
                                         }
                                         last = at;
                                         return Result<bool>(true);
                                       });
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(found, 1);
  const Result<Response> rest =
      learner.exchange("GET", "/v1/experiences?after=" + percent_encode(last), "");
  ASSERT_TRUE(rest) << rest.error().describe();
  EXPECT_EQ(rest->body, "");
  const Result<Response> one = learner.exchange("GET", "/v1/experiences?limit=1", "");
  ASSERT_TRUE(one) << one.error().describe();
  EXPECT_EQ(one->header("content-type"), "application/x-ndjson");
  EXPECT_EQ(std::ranges::count(one->body, '\n'), 1);
}

TEST_F(ApiResults, FailureIsStoredWithItsReason) {
  register_target("failing");
  register_worker("w-fail");
  const std::string id = submit("failing", "fail");
  const Result<Json> lease = claim("w-fail");
  ASSERT_TRUE(lease.has_value());
  const Client worker = ApiServer::instance().client(Role::worker);
  const Result<Json> bad = worker.post(lease_path(*lease, "complete"),
                                       Json{{"outcome", "miscompiled"}, {"verdict", "faster"}});
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().fields.size(), 2U) << bad.error().describe();
  ASSERT_TRUE(worker
                  .post(lease_path(*lease, "complete"),
                        Json{{"outcome", "miscompiled"}, {"reason", "output differs at byte 7"}})
                  .has_value());
  const Json done = job(id);
  EXPECT_EQ(done["outcome"], "miscompiled");
  EXPECT_EQ(done["reason"], "output differs at byte 7");
  EXPECT_TRUE(done["reward"].is_null());
}

}  // namespace
}  // namespace hone
