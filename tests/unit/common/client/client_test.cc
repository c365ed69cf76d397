#include "common/client/client.h"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

Client client_of(const ScriptedHttpServer& server, int retries = 3) {
  ClientOptions options;
  options.url = server.url();
  options.token = "hone_token";
  options.timeout = milliseconds(10'000);
  options.retries = retries;
  options.first_pause = milliseconds(1);
  return *Client::create(std::move(options));
}

const std::string kUnavailable = http_response(
    "503 Service Unavailable", R"({"code":"unavailable","detail":"the database is away"})");

TEST(Client, SendsAndReceivesJson) {
  const ScriptedHttpServer server({{http_response("201 Created", R"({"id":"x"})")}});
  const Result<Json> answer = client_of(server).post("/v1/things?a=b", Json{{"k", 1}});
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  EXPECT_EQ((*answer)["id"], "x");
  const std::string request = server.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /v1/things?a=b HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("Authorization: Bearer hone_token\r\n"), std::string::npos);
  EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_NE(request.find("Host: " + server.url().substr(7) + "\r\n"), std::string::npos);
  EXPECT_TRUE(request.ends_with("\r\n\r\n{\"k\":1}"));
}

TEST(Client, ARefusedTokenIsToldWithItsFile) {
  const std::string refusal =
      http_response("401 Unauthorized", R"({"code":"unauthenticated","detail":"not known"})");
  const ScriptedHttpServer server({{refusal}});
  ClientOptions options;
  options.url = server.url();
  options.token_note = "the token is the one in /x/admin.token";
  const Result<Json> answer = Client::create(std::move(options))->get("/v1/x");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().message, "not known (the token is the one in /x/admin.token)");
}

TEST(Client, EmptyAnswerIsNull) {
  const ScriptedHttpServer server({{"HTTP/1.1 204 No Content\r\n\r\n"}});
  const Result<Json> answer = client_of(server).remove("/v1/tokens/1");
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->is_null());
}

TEST(Client, ProblemDocumentBecomesItsError) {
  const ScriptedHttpServer server({{http_response(
      "400 Bad Request",
      R"({"code":"invalid_argument","detail":"bad","errors":[{"pointer":"/a","detail":"d"}]})")}});
  const Result<Json> answer = client_of(server).get("/v1/x");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(answer.error().fields, (std::vector<FieldProblem>{{"/a", "d"}}));
}

TEST(Client, StatusAndHeadersAreThereWhenAskedFor) {
  const ScriptedHttpServer server({{"HTTP/1.1 304 Not Modified\r\nETag: \"v\"\r\n\r\n"}});
  const Result<Response> answer =
      client_of(server).exchange("GET", "/p", "", {.headers = {{"If-None-Match", "\"v\""}}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 304);
  EXPECT_EQ(answer->header("etag"), "\"v\"");
  EXPECT_EQ(answer->header("missing"), "");
  EXPECT_NE(server.requests().at(0).find("If-None-Match: \"v\"\r\n"), std::string::npos);
}

TEST(Client, UnavailableIsTriedAgain) {
  const ScriptedHttpServer server({{kUnavailable}, {""}, {http_response("200 OK", "7")}});
  const Result<Json> answer = client_of(server).get("/v1/x");
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  EXPECT_EQ(*answer, 7);
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(Client, TriesEnd) {
  const ScriptedHttpServer server({{kUnavailable}, {kUnavailable}, {kUnavailable}});
  const Result<Json> answer = client_of(server, 1).get("/v1/x");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().message, "the database is away");
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(Client, PostIsRepeatedOnlyWhenThatIsHarmless) {
  const ScriptedHttpServer once({{""}, {http_response("200 OK", "1")}});
  EXPECT_EQ(client_of(once).post("/x", Json::object()).error().code, ErrorCode::unavailable);
  EXPECT_EQ(once.requests().size(), 1U);

  const ScriptedHttpServer keyed({{""}, {http_response("200 OK", "1")}});
  EXPECT_TRUE(client_of(keyed)
                  .post("/x", Json::object(), {.headers = {{"idempotency-key", "k"}}})
                  .has_value());
  const ScriptedHttpServer told({{""}, {http_response("200 OK", "1")}});
  EXPECT_TRUE(client_of(told).post("/x", Json::object(), {.retry = Retry::always}).has_value());
  const ScriptedHttpServer never({{""}, {http_response("200 OK", "1")}});
  EXPECT_FALSE(client_of(never).get("/x", {.retry = Retry::never}).has_value());
}

TEST(Client, ServerThatIsNotThereIsUnavailable) {
  std::string url;
  {
    const ScriptedHttpServer gone({});
    url = gone.url();
  }
  ClientOptions options;
  options.url = url;
  options.retries = 1;
  options.first_pause = milliseconds(1);
  const Result<Json> answer = Client::create(options)->post("/x", Json::object());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_NE(answer.error().message.find(url.substr(7)), std::string::npos);
}

TEST(Client, AnAnswerThatIsLongerThanAllowedIsNotReadToItsEnd) {
  // Without an end: what is read must be refused before the connection is.
  const std::string endless =
      "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n" + std::string(300'000, 'x');
  const ScriptedHttpServer server({{endless}, {http_response("200 OK", "\"1234\"")}});
  RequestOptions options;
  options.most_reply_bytes = 100'000;
  const Result<Response> long_one = client_of(server, 0).exchange("GET", "/x", "", options);
  ASSERT_FALSE(long_one.has_value());
  EXPECT_EQ(long_one.error().code, ErrorCode::too_large) << long_one.error().message;
  options.most_reply_bytes = 6;
  EXPECT_TRUE(client_of(server, 0).exchange("GET", "/x", "", options).has_value());
}

TEST(Client, SlowAnswerTimesOut) {
  const ScriptedHttpServer server({{"", milliseconds(20'000)}});
  const auto begin = std::chrono::steady_clock::now();
  const Result<Json> answer = client_of(server).get("/x", {.timeout = milliseconds(200)});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Client, TrickleTimesOutToo) {
  // The header comes, then the body stays away: the limit is on the whole.
  const ScriptedHttpServer server({{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12",
                                    milliseconds(0), false, milliseconds(20'000)}});
  EXPECT_EQ(client_of(server).get("/x", {.timeout = milliseconds(200)}).error().code,
            ErrorCode::timed_out);
}

TEST(Client, StopRequestEndsALongPoll) {
  const ScriptedHttpServer server({{"", milliseconds(20'000)}});
  std::stop_source stop;
  std::jthread later([&stop] {
    std::this_thread::sleep_for(milliseconds(100));
    stop.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  const Result<Json> answer = client_of(server).post(
      "/v1/leases", Json::object(), {.timeout = milliseconds(60'000), .stop = stop.get_token()});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Client, StopRequestedBeforehandSendsNothing) {
  const ScriptedHttpServer server({});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(client_of(server).get("/x", {.stop = stop.get_token()}).error().code,
            ErrorCode::cancelled);
}

TEST(Client, TruncatedOrStrangeAnswersAreUnavailable) {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12", "SSH-2.0-x\r\n", ""}) {
    const ScriptedHttpServer server({{text}});
    EXPECT_EQ(client_of(server).get("/x", {.retry = Retry::never}).error().code,
              ErrorCode::unavailable)
        << text;
  }
}

TEST(Client, AnswerThatIsNoJsonIsAnError) {
  const ScriptedHttpServer server({{http_response("200 OK", "<html>")}});
  const Result<Json> answer = client_of(server).get("/x");
  ASSERT_FALSE(answer.has_value());
  EXPECT_NE(answer.error().message.find("the server's answer"), std::string::npos);
}

// What the server refused for being too much was not done, so that asking again does no harm.
TEST(Client, TooManyRequestsAreAskedAgain) {
  ScriptedHttpServer server(
      {{.text = http_response("429 Too Many Requests", "{}", "Retry-After: 1\r\n")},
       {.text = http_response("200 OK", "[1]")}});
  ClientOptions options;
  options.url = server.url();
  options.first_pause = std::chrono::milliseconds(1);
  const Result<Json> got = Client::create(options)->post("/x", Json::object());
  ASSERT_TRUE(got.has_value()) << got.error().describe();
  EXPECT_EQ(server.requests().size(), 2U);

  ScriptedHttpServer strict({{.text = http_response("429 Too Many Requests", "{}")}});
  options.url = strict.url();
  options.retries = 0;
  const Result<Json> refused = Client::create(options)->get("/x");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::resource_exhausted);
}

std::string chunk(const std::string& text) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + text + "\r\n";
}
const std::string kStream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(Client, EventsGoOnAfterACutAndEndWithTheStream) {
  const ScriptedHttpServer server({{kStream + chunk("id: 1\ndata: a\n\n") + chunk("id: 2\nda")},
                                   {kStream + chunk("id: 2\ndata: b\n\n") + "0\r\n\r\n"}});
  std::vector<std::string> data;
  const Result<void> end = client_of(server).events("/v1/events", [&](const ServerEvent& event) {
    data.push_back(event.data);
    return true;
  });
  EXPECT_TRUE(end.has_value()) << end.error().describe();
  EXPECT_EQ(data, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[0].find("Last-Event-ID"), std::string::npos);
  EXPECT_NE(server.requests()[1].find("Last-Event-ID: 1\r\n"), std::string::npos)
      << server.requests()[1];
}

TEST(Client, EventsEndWhenTheReceiverHasSeenEnough) {
  const ScriptedHttpServer server(
      {{kStream + chunk("data: a\n\ndata: b\n\n"), milliseconds(0), false, milliseconds(20'000)}});
  int seen = 0;
  const Result<void> end = client_of(server).events("/e", [&](const ServerEvent&) {
    ++seen;
    return false;
  });
  EXPECT_TRUE(end.has_value());
  EXPECT_EQ(seen, 1);
}

TEST(Client, EventsOfWhatDoesNotExistFailAtOnce) {
  const ScriptedHttpServer server({{http_response("404 Not Found", R"({"code":"not_found"})")}});
  const Result<void> end = client_of(server).events("/e", [](const ServerEvent&) { return true; });
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code, ErrorCode::not_found);
}

TEST(PercentEncode, EncodesWhatIsNotUnreserved) {
  EXPECT_EQ(percent_encode("aZ9-._~"), "aZ9-._~");
  EXPECT_EQ(percent_encode("a b/\xc3\xbc?&+"), "a%20b%2F%C3%BC%3F%26%2B");
}

}  // namespace
}  // namespace hone
