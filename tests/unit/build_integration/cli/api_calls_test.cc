// Waiting for what a coordinator does, through what passes.
#include "build_integration/cli/api_calls.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

std::string refusal(const std::string& status_line, const std::string& code) {
  return http_response(status_line, dump_json(Json{{"code", code}, {"detail", "not now"}}));
}

Client client_of(const ScriptedHttpServer& server) {
  ClientOptions options;
  options.url = server.url();
  options.retries = 0;
  return *Client::create(std::move(options));
}

TEST(ApiCalls, AWaitOutlastsWhatPasses) {
  JobView job;
  job.id = "b1b7a1f0-0000-4000-8000-000000000001";
  job.target = "lz4";
  job.state = JobState::cancelled;
  job.created_at = "2027-01-31T00:00:00Z";
  const ScriptedHttpServer server({{refusal("503 Service Unavailable", "unavailable")},
                                   {refusal("504 Gateway Timeout", "timed_out")},
                                   {refusal("429 Too Many Requests", "resource_exhausted")},
                                   {http_response("200 OK", dump_json(to_json(job)))}});
  const Result<JobView> over = wait_for_job(client_of(server), job.id, [](const JobView&) {}, {});
  ASSERT_TRUE(over.has_value()) << over.error().describe();
  EXPECT_EQ(over->state, JobState::cancelled);
  EXPECT_EQ(server.requests().size(), 4U);
}

TEST(ApiCalls, AWaitEndsWhenItsTimeIsUp) {
  JobView job;
  job.id = "b1b7a1f0-0000-4000-8000-000000000001";
  job.target = "lz4";
  job.created_at = "2027-01-31T00:00:00Z";
  job.waits = "no worker is connected";
  job.ahead = 2;
  const ScriptedHttpServer server({{http_response("200 OK", dump_json(to_json(job)))}});
  const Result<JobView> seen = wait_for_job(
      client_of(server), job.id, [](const JobView&) {}, {}, std::chrono::steady_clock::now());
  ASSERT_TRUE(seen.has_value()) << seen.error().describe();
  EXPECT_FALSE(is_over(*seen));
  EXPECT_EQ(seen->waits, job.waits);
  EXPECT_EQ(seen->ahead, 2);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(ApiCalls, AWaitEndsWithARefusal) {
  const ScriptedHttpServer server({{refusal("403 Forbidden", "permission_denied")}});
  const Result<JobView> over = wait_for_job(client_of(server), "x", [](const JobView&) {}, {});
  ASSERT_FALSE(over.has_value());
  EXPECT_EQ(over.error().code, ErrorCode::permission_denied);
}

}  // namespace
}  // namespace hone
