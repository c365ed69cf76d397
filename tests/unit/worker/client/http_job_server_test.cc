// Leases over REST as a honed of another release gives them.
#include "worker/client/http_job_server.h"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/fake_lease.h"
#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

HttpJobServer job_server_of(const ScriptedHttpServer& server) {
  ClientOptions options;
  options.url = server.url();
  options.timeout = milliseconds(10'000);
  options.retries = 0;
  return HttpJobServer(*Client::create(std::move(options)));
}

Json given(const Lease& lease) {
  return to_json(lease);
}

TEST(HttpJobServer, ALeaseInUnknownWordsIsHandedBackAndNoReasonToEnd) {
  Json unknown = given(fake_lease("a1"));
  unknown["stage"] = "a stage of a later release";
  const ScriptedHttpServer server({{http_response("200 OK", dump_json(unknown))},
                                   {http_response("200 OK", R"({"job":"j","job_state":"queued"})")},
                                   {http_response("200 OK", dump_json(given(fake_lease("a2"))))}});
  HttpJobServer jobs = job_server_of(server);
  LeaseRequest request;
  request.worker = "w";
  const Result<std::optional<Lease>> refused = jobs.lease(request, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().describe();
  EXPECT_NE(refused.error().message.find("/stage"), std::string::npos)
      << refused.error().describe();
  const std::string back = server.requests().at(1);
  EXPECT_TRUE(back.starts_with("POST /v1/leases/a1/fail ")) << back;
  EXPECT_NE(back.find("/stage"), std::string::npos) << "it says what was not understood: " << back;
  EXPECT_NE(back.find(R"("count_attempt":true)"), std::string::npos)
      << "a job that nobody understands must come to an end: " << back;
  const Result<std::optional<Lease>> next = jobs.lease(request, {});
  ASSERT_TRUE(next.has_value()) << next.error().describe();
  EXPECT_EQ((*next)->attempt, "a2");
}

TEST(HttpJobServer, SaysGoodByeAndPutsUpWithAHonedThatKnowsNone) {
  const ScriptedHttpServer server(
      {{http_response("200 OK", R"({"name":"w","left_at":"2027-01-31T00:00:00Z"})")},
       {http_response("404 Not Found", R"({"code":"not_found","detail":"no such path"})")}});
  HttpJobServer jobs = job_server_of(server);
  EXPECT_TRUE(jobs.leave("w").has_value());
  EXPECT_TRUE(server.requests().at(0).starts_with("POST /v1/workers/w/leave "));
  const Result<void> unknown = jobs.leave("w");
  ASSERT_TRUE(unknown.has_error());
  EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
  EXPECT_EQ(server.requests().size(), 2U) << "tried once";
}

TEST(HttpJobServer, PollsFollowEachOtherOnOneConnection) {
  const std::string nothing = "HTTP/1.1 204 No Content\r\n\r\n";
  const ScriptedHttpServer server({{.text = nothing, .goes_on = true},
                                   {.text = nothing, .goes_on = true},
                                   {.text = nothing},  // and closes it
                                   {.text = nothing, .goes_on = true},
                                   {.text = ""},  // it is lost in the middle of a request
                                   {.text = nothing}});
  HttpJobServer jobs = job_server_of(server);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(jobs.lease({}, {}).has_value());
  }
  EXPECT_EQ(server.connections(), 1);
  // One that was closed meanwhile is not met: the request goes over a fresh one.
  std::this_thread::sleep_for(milliseconds(100));
  ASSERT_TRUE(jobs.lease({}, {}).has_value());
  EXPECT_EQ(server.connections(), 2);
  // Who did not hear the answer may have a lease: nothing is sent twice.
  const Result<std::optional<Lease>> lost = jobs.lease({}, {});
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().code, ErrorCode::unavailable);
  EXPECT_EQ(server.requests().size(), 5U);
  ASSERT_TRUE(jobs.lease({}, {}).has_value());
  EXPECT_EQ(server.connections(), 3);
}

TEST(HttpJobServer, AConnectionThatTheServerEndsIsNotKept) {
  const std::string closing = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
  const ScriptedHttpServer server(
      {{.text = closing, .keep_open = milliseconds(20'000)}, {.text = closing}});
  HttpJobServer jobs = job_server_of(server);
  ASSERT_TRUE(jobs.lease({}, {}).has_value());
  ASSERT_TRUE(jobs.lease({}, {}).has_value());
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttpJobServer, AnotherVersionOfMessagesStaysARefusal) {
  Json later = given(fake_lease("a1"));
  later["version"] = kMessageVersion + 1;
  const ScriptedHttpServer server({{http_response("200 OK", dump_json(later))}});
  HttpJobServer jobs = job_server_of(server);
  const Result<std::optional<Lease>> refused = jobs.lease({}, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpJobServer, WhatALaterReleaseAddsIsPassedOver) {
  Json more = given(fake_lease("a1"));
  more["added_later"] = 1;
  more["target"]["added_later"] = Json{{"x", 1}};
  more.erase("trust");  // an earlier release's
  const ScriptedHttpServer server({{http_response("200 OK", dump_json(more))}});
  HttpJobServer jobs = job_server_of(server);
  const Result<std::optional<Lease>> lease = jobs.lease({}, {});
  ASSERT_TRUE(lease.has_value()) << lease.error().describe();
  EXPECT_EQ((*lease)->trust, TrustLevel::guest);
}

}  // namespace
}  // namespace hone
