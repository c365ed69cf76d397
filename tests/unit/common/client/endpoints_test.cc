// Several honeds over one database, of which any may be gone.
#include "common/client/endpoints.h"

#include <chrono>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/client/client.h"
#include "common/client/line_stream.h"
#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

const std::string kUnavailable = http_response(
    "503 Service Unavailable", R"({"code":"unavailable","detail":"the database is away"})");

std::string url_of_nobody() {
  const ScriptedHttpServer gone({});
  return gone.url();
}

Client client_of(const std::string& urls, int retries = 0) {
  ClientOptions options;
  options.url = urls;
  options.timeout = milliseconds(10'000);
  options.retries = retries;
  options.first_pause = milliseconds(1);
  return *Client::create(std::move(options));
}

TEST(Endpoints, AreSeveralUrlsWithCommasBetweenThem) {
  const Result<Endpoints> parsed = Endpoints::parse("http://a:1, http://[::1]:2/hone ,http://c");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ(parsed->at(0).authority(), "a:1");
  EXPECT_EQ(parsed->at(1).authority(), "[::1]:2");
  EXPECT_EQ(parsed->at(1).prefix, "/hone");
  EXPECT_EQ(parsed->at(2).authority(), "c:7077");
}

TEST(Endpoints, WhatIsNoListOfUrlsIsRefused) {
  for (const char* bad : {"", ",", "http://a,", ",http://a", "http://a,b", "http://a http://b"}) {
    const Result<Endpoints> parsed = Endpoints::parse(bad);
    ASSERT_FALSE(parsed.has_value()) << bad;
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid_argument) << bad;
  }
  std::string many = "http://a";
  for (int i = 0; i < 16; ++i) {
    many += ",http://a";
  }
  EXPECT_EQ(Endpoints::parse(many).error().code, ErrorCode::invalid_argument);
}

TEST(Endpoints, OneThatFailsIsLeftOnceHoweverManyNoticeIt) {
  const Endpoints endpoints = *Endpoints::parse("http://a,http://b,http://c");
  const Endpoints copy = endpoints;
  endpoints.leave(0);
  copy.leave(0);
  EXPECT_EQ(copy.current(), 1U);
  copy.leave(1);
  endpoints.leave(2);
  EXPECT_EQ(copy.current(), 0U);
}

TEST(ClientOfSeveral, GoesOnAtTheNextOneAndStaysThere) {
  const ScriptedHttpServer second({{http_response("200 OK", "1")}, {http_response("200 OK", "2")}});
  const Client client = client_of(url_of_nobody() + "," + second.url());
  EXPECT_EQ(client.get("/v1/x").value(), 1);
  EXPECT_EQ(client.post("/v1/x", Json::object()).value(), 2);
}

TEST(ClientOfSeveral, AnUnavailableOneIsLeftToo) {
  const ScriptedHttpServer first({{kUnavailable}});
  const ScriptedHttpServer second({{http_response("200 OK", "1")}});
  EXPECT_EQ(client_of(first.url() + "," + second.url()).get("/v1/x").value(), 1);
  EXPECT_EQ(first.requests().size(), 1U);
}

TEST(ClientOfSeveral, OneThatHangsIsLeft) {
  const ScriptedHttpServer first({{"", milliseconds(20'000)}});
  const ScriptedHttpServer second({{http_response("200 OK", "1")}});
  const Client client = client_of(first.url() + "," + second.url());
  EXPECT_EQ(client.get("/v1/x", {.timeout = milliseconds(200)}).value(), 1);
}

TEST(ClientOfSeveral, WhatMayHaveCountedIsNotSentToAnother) {
  const ScriptedHttpServer first({{""}});
  const ScriptedHttpServer second({{http_response("200 OK", "1")}});
  const Client client = client_of(first.url() + "," + second.url());
  EXPECT_EQ(client.post("/v1/x", Json::object()).error().code, ErrorCode::unavailable);
  EXPECT_EQ(second.requests().size(), 0U);
  EXPECT_EQ(client.post("/v1/x", Json::object()).value(), 1) << "the next request goes on there";
}

TEST(ClientOfSeveral, ARefusalIsAnAnswer) {
  const ScriptedHttpServer first(
      {{http_response("404 Not Found", R"({"code":"not_found","detail":"no job"})")}});
  const ScriptedHttpServer second({{http_response("200 OK", "1")}});
  const Client client = client_of(first.url() + "," + second.url(), 3);
  EXPECT_EQ(client.get("/v1/x").error().code, ErrorCode::not_found);
  EXPECT_EQ(second.requests().size(), 0U);
}

TEST(ClientOfSeveral, TriesEndWhenAllOfThemFailed) {
  const ScriptedHttpServer first({{kUnavailable}, {kUnavailable}, {kUnavailable}});
  const ScriptedHttpServer second({{kUnavailable}, {kUnavailable}, {kUnavailable}});
  const Client client = client_of(first.url() + "," + second.url(), 1);
  EXPECT_EQ(client.get("/v1/x").error().message, "the database is away");
  EXPECT_EQ(first.requests().size(), 2U);
  EXPECT_EQ(second.requests().size(), 2U);
}

TEST(ClientOfSeveral, AnEventStreamGoesOnBehindTheLastEvent) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
  // The first promises more than it sends: it died.
  const ScriptedHttpServer first(
      {{head + "Content-Length: 1000\r\n\r\nid: 5-1\ndata: one\n\nid: 5-2\ndata: ha"}});
  const ScriptedHttpServer second({{head + "\r\nid: 5-2\ndata: two\n\n"}});
  std::vector<std::string> seen;
  const Result<void> read = client_of(first.url() + "," + second.url(), 1)
                                .events("/v1/events", [&](const ServerEvent& event) {
                                  seen.push_back(event.data);
                                  return true;
                                });
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two"}));
  EXPECT_NE(second.requests().at(0).find("Last-Event-ID: 5-1\r\n"), std::string::npos);
}

TEST(ClientOfSeveral, AStreamOfLinesGoesOnBehindTheLastWholeLine) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  const ScriptedHttpServer first(
      {{head +
        "Content-Length: 1000\r\n\r\n{\"cursor\":\"1-1\",\"a\":1}\n{\"cursor\":\"1-2\",\"a"}});
  const std::string line = "{\"cursor\":\"1-2\",\"a\":2}\n";
  const ScriptedHttpServer second({{http_response("200 OK", line)}});
  std::string all;
  const Result<void> read =
      read_lines(client_of(first.url() + "," + second.url(), 1), "/v1/experiences", "",
                 [&](std::string_view lines, const std::string&) -> Result<bool> {
                   all += lines;
                   return true;
                 });
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_EQ(all, "{\"cursor\":\"1-1\",\"a\":1}\n" + line);
  EXPECT_NE(second.requests().at(0).find("after=1-1"), std::string::npos);
}

TEST(ClientOfSeveral, ADownloadThatWasCutOffIsFetchedFromAnother) {
  const std::string content = "all of it";
  const std::string sha256 = sha256_hex(content);
  const ScriptedHttpServer first({{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nall"}});
  const ScriptedHttpServer second({{http_response("200 OK", content)}});
  const TemporaryFolder folder = *TemporaryFolder::create("download");
  const Client client = client_of(first.url() + "," + second.url());
  const Result<void> got = client.download_file(sha256, folder.path() / "file", 100);
  ASSERT_TRUE(got.has_value()) << got.error().describe();
  EXPECT_EQ(*read_file(folder.path() / "file", 100), content);
}

TEST(AllLeadTo, TheAddressThatAServerListensOn) {
  for (const char* urls : {"http://127.0.0.1:7077", "http://localhost:7077",
                           "http://127.0.0.1:7077/prefix,https://localhost:7077"}) {
    EXPECT_TRUE(all_lead_to(urls, "127.0.0.1:7077")) << urls;
  }
  for (const char* urls : {"http://hone.example:7077", "http://127.0.0.1:7078", "",
                           "http://127.0.0.1:7077,http://10.0.0.1:7077", "http://127.0.0.2:7077",
                           "http://localhost.evil:7077", "https://127.0.0.1"}) {
    EXPECT_FALSE(all_lead_to(urls, "127.0.0.1:7077")) << urls;
  }
  EXPECT_TRUE(all_lead_to("http://127.0.0.1:7077", "0.0.0.0:7077"));
  EXPECT_TRUE(all_lead_to("http://[::1]:7077", "[::]:7077"));
  EXPECT_FALSE(all_lead_to("http://10.0.0.1:7077", "0.0.0.0:7077"));
  EXPECT_FALSE(all_lead_to("http://127.evil.example:7077", "0.0.0.0:7077"));
  EXPECT_FALSE(all_lead_to("http://127.0.0.1:7077", ""));
}

}  // namespace
}  // namespace hone
