// What an HttpServer answers: routes, roles, bodies, files, streams.
#include "server/http/http_server.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "tests/unit/server/http/test_server.h"

namespace hone {
namespace {

// One request over a connection of its own.
RawResponse ask(const TestServer& server, const std::string& text, bool no_body = false) {
  RawHttpClient client(server.port());
  client.send(text);
  return client.receive(no_body);
}

// The problem document of a response, after checking that it is one.
Json problem_of(const RawResponse& response) {
  EXPECT_EQ(response.header("Content-Type"), "application/problem+json") << response.head;
  const Result<Json> document = parse_json(response.body);
  EXPECT_TRUE(document.has_value()) << response.body;
  if (!document.has_value()) {
    return Json::object();
  }
  EXPECT_EQ((*document)["status"], response.status);
  return *document;
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  const TestServer server;
  RawHttpClient client(server.port());
  for (const char* id : {"one", "two"}) {
    client.send(request_text("GET", std::string("/things/") + id));
    const RawResponse response = client.receive();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "\"" + std::string(id) + "\"");
    EXPECT_EQ(response.header("Content-Type"), "application/json");
    EXPECT_EQ(response.header("Connection"), "keep-alive");
  }
  client.send(request_text("GET", "/things/x", "Connection: close\r\n"));
  EXPECT_EQ(client.receive().header("Connection"), "close");
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  const TestServer server;
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/things/1") + request_text("PUT", "/things/2", kJsonType, "{}") +
              request_text("GET", "/things/3"));
  EXPECT_EQ(client.receive().body, "\"1\"");
  EXPECT_EQ(client.receive().body, "{}");
  EXPECT_EQ(client.receive().body, "\"3\"");
}

// As HAProxy's `option httpchk GET /readyz` asks.
TEST(HttpServer, HttpOneZeroNeedsNoHost) {
  const TestServer server;
  EXPECT_EQ(ask(server, "GET /health HTTP/1.0\r\n\r\n").status, 200);
  EXPECT_EQ(ask(server, "GET /health HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(ask(server, "GET /health HTTP/1.0\r\nHost: evil.example\r\n\r\n").status, 400);
  EXPECT_EQ(ask(server, "GET /health HTTP/1.0\r\nOrigin: http://evil.example\r\n\r\n").status, 403);
}

TEST(HttpServer, AnAddressThatIsTakenIsAConflict) {
  const TestServer server;
  const Result<void> free = HttpServer::can_listen("127.0.0.1", server.port());
  ASSERT_FALSE(free.has_value());
  EXPECT_EQ(free.error().code, ErrorCode::conflict);
  EXPECT_NE(free.error().message.find(std::to_string(server.port())), std::string::npos);
  EXPECT_TRUE(HttpServer::can_listen("127.0.0.1", 0).has_value());
  EXPECT_EQ(HttpServer::can_listen("localhost", 0).error().code, ErrorCode::invalid_argument);
}

TEST(HttpServer, EveryAnswerHasSecurityHeaders) {
  const TestServer server;
  for (const char* path : {"/health", "/nothing"}) {
    const RawResponse response = ask(server, request_text("GET", path));
    EXPECT_EQ(response.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response.header("Cache-Control"), "no-store");
    EXPECT_NE(response.header("Content-Security-Policy"), "");
    EXPECT_NE(response.header("Date"), "");
  }
}

TEST(HttpServer, HeadHasTheLengthButNoBody) {
  const TestServer server;
  RawHttpClient client(server.port());
  client.send(request_text("HEAD", "/files/a"));
  const RawResponse head = client.receive(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "1000000");
  client.send(request_text("GET", "/things/after"));
  EXPECT_EQ(client.receive().body, "\"after\"");  // nothing of a body stood in between
}

TEST(HttpServer, TokenIsNeededButForHealth) {
  TestServer server;
  EXPECT_EQ(ask(server, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  server.calls = 0;
  const std::vector<std::string> refused = {
      "GET /things/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /things/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic dTpw\r\n\r\n",
      request_text("GET", "/things/a", "", "", "wrong-token"),
      // Nor does anybody without a token learn what exists.
      "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "DELETE /things/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
      request_text("DELETE", "/things/a", "", "", "wrong-token"),
      "DELETE /things/a HTTP/1.1\r\nHost: localhost\r\n\r\n"};
  for (const std::string& text : refused) {
    const RawResponse response = ask(server, text);
    EXPECT_EQ(response.status, 401) << text;
    EXPECT_EQ(response.header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(problem_of(response)["code"], "unauthenticated");
    EXPECT_EQ(response.header("Allow"), "");
  }
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpServer, WrongRoleIsForbidden) {
  TestServer server;
  const RawResponse response =
      ask(server, request_text("PUT", "/things/a", kJsonType, "{}", kViewer));
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(problem_of(response)["code"], "permission_denied");
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpServer, ForeignHostIsRefusedBeforeTheToken) {
  TestServer server;
  for (const char* host : {"Host: evil.example\r\n", "Host: 127.0.0.1.evil.example\r\n", "",
                           "Host: localhost\r\nHost: evil.example\r\n"}) {
    const RawResponse response =
        ask(server, std::string("GET /health HTTP/1.1\r\n") + host + "\r\n");
    EXPECT_EQ(response.status, 400) << host;
    problem_of(response);
  }
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpServer, UnknownPathAndWrongMethod) {
  const TestServer server;
  const RawResponse nothing = ask(server, request_text("GET", "/nothing"));
  EXPECT_EQ(nothing.status, 404);
  EXPECT_EQ(problem_of(nothing)["code"], "not_found");
  for (const char* method : {"DELETE", "PATCH", "BREW"}) {
    const RawResponse wrong = ask(server, request_text(method, "/things/a"));
    EXPECT_EQ(wrong.status, 405) << method;
    EXPECT_EQ(wrong.header("Allow"), "GET, HEAD, PUT");
    problem_of(wrong);
  }
}

TEST(HttpServer, UnknownQueryParameterIsNamed) {
  const TestServer server;
  const RawResponse response = ask(server, request_text("GET", "/things/a?a=1&limt=5"));
  EXPECT_EQ(response.status, 400);
  const Json problem = problem_of(response);
  ASSERT_EQ(problem["errors"].size(), 1U);
  EXPECT_EQ(problem["errors"][0]["pointer"], "/limt");
}

TEST(HttpServer, BodyMustBeThereAndOfItsType) {
  TestServer server;
  EXPECT_EQ(ask(server, request_text("PUT", "/things/a", kJsonType)).status, 400);
  EXPECT_EQ(ask(server, request_text("PUT", "/things/a", "", "{}")).status, 415);
  EXPECT_EQ(
      ask(server, request_text("PUT", "/things/a", "Content-Type: text/plain\r\n", "{}")).status,
      415);
  EXPECT_EQ(ask(server,
                request_text("PUT", "/things/a",
                             "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", "{}"))
                .status,
            415);
  EXPECT_EQ(ask(server, request_text("GET", "/things/a", kJsonType, "{}")).status, 400);
  EXPECT_EQ(server.calls, 0);
  EXPECT_EQ(ask(server, request_text("POST", "/things/a/poke")).status, 200);
  EXPECT_EQ(ask(server, request_text("POST", "/things/a/poke", kJsonType, "{}")).status, 200);
}

TEST(HttpServer, ChunkedBodyIsJoined) {
  const TestServer server;
  const RawResponse response =
      ask(server, request_text("PUT", "/things/a",
                               "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") +
                      "2\r\n[1\r\n3\r\n,2]\r\n0\r\n\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "[1,2]");
}

TEST(HttpServer, ExpectContinueIsToldToGoOnOnlyForAGoodRequest) {
  const TestServer server;
  RawHttpClient good(server.port());
  good.send(request_text("PUT", "/things/a",
                         std::string(kJsonType) + "Expect: 100-continue\r\nContent-Length: 2\r\n"));
  EXPECT_EQ(good.receive().status, 100);
  good.send("{}");
  EXPECT_EQ(good.receive().status, 200);

  RawHttpClient bad(server.port());
  bad.send(request_text("PUT", "/things/a",
                        "Expect: 100-continue\r\nContent-Type: text/plain\r\n"
                        "Content-Length: 2\r\n"));
  EXPECT_EQ(bad.receive().status, 415);
}

TEST(HttpServer, ExceptionOfAHandlerIsAnInternalErrorWithoutDetails) {
  const TestServer server;
  const RawResponse response = ask(server, request_text("GET", "/explode"));
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(problem_of(response)["code"], "internal");
  EXPECT_EQ(response.body.find("secret detail"), std::string::npos);
  EXPECT_EQ(ask(server, request_text("GET", "/things/a", "", "", kThrowing)).status, 500);
  EXPECT_EQ(ask(server, request_text("GET", "/things/alive")).status, 200);
}

TEST(HttpServer, UploadArrivesInPieces) {
  TestServer server;
  const std::string body(3'000'000, 'u');
  EXPECT_EQ(ask(server, request_text("PUT", "/files/a", kOctetsType, body)).status, 201);
  EXPECT_EQ(server.received, body.size());
}

TEST(HttpServer, FileIsSentWhole) {
  const TestServer server;
  const RawResponse response = ask(server, request_text("GET", "/files/a"));
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.body, std::string(1'000'000, 'x'));
}

TEST(HttpServer, EventStreamEndsWithItsLastChunk) {
  const TestServer server;
  const RawResponse response = ask(server, request_text("GET", "/events"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.header("Content-Type"), "text/event-stream");
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.body,
            "id: 1\nevent: job\ndata: {}\n\nid: 2\nevent: job\ndata: {}\n\n"
            "id: 3\nevent: job\ndata: {}\n\n:\n\n");
}

TEST(HttpServer, ABodyInPiecesIsWholeWithItsLastChunk) {
  TestServer server;
  const RawResponse response = ask(server, request_text("GET", "/pieces"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.header("Content-Type"), "application/x-ndjson");
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.body.size(), 64'000'000U);
}

TEST(HttpServer, AReaderThatStopsIsWaitedForAndThenCutOff) {
  HttpLimits limits;
  limits.write_silence = std::chrono::milliseconds(300);
  TestServer server(limits);
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/pieces"));
  EXPECT_TRUE(eventually([&] { return server.peers_gone == 1; }));
  EXPECT_LT(server.pieces, 60) << "what nobody takes is not made";
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
  EXPECT_FALSE(client.receive().complete);
}

TEST(HttpServer, ClientThatLeavesAnEventStreamIsNoticed) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/events?endless=1"));
  ASSERT_TRUE(client.read_through("id: 3"));
  client.close();
  EXPECT_TRUE(eventually([&] { return server.peers_gone == 1; }));
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
}

TEST(HttpServer, ClientThatBeganItsNextRequestAndLeftIsNoticedToo) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/wait") + "G");
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  client.close();
  EXPECT_TRUE(eventually([&] { return server.peers_gone == 1; }));
}

TEST(HttpServer, ClientThatLeavesALongPollIsNoticed) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/wait"));
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  client.close();
  EXPECT_TRUE(eventually([&] { return server.peers_gone == 1; }));
}

TEST(HttpServer, LongPollIsAnsweredWhenItsWaitEnds) {
  TestServer server;
  RawHttpClient client(server.port());
  // The next request is there already: that is no sign of a client that left.
  client.send(request_text("GET", "/wait?ms=300") + request_text("GET", "/things/next"));
  EXPECT_EQ(client.receive().body, "true");
  EXPECT_EQ(client.receive().body, "\"next\"");
}

TEST(HttpServer, StopLetsRequestsFinishAndEndsTheRest) {
  TestServer server;
  RawHttpClient idle(server.port());
  idle.send(request_text("GET", "/things/a"));
  ASSERT_EQ(idle.receive().status, 200);
  RawHttpClient working(server.port());
  working.send(request_text("GET", "/work"));
  RawHttpClient waiting(server.port());
  waiting.send(request_text("GET", "/wait"));
  RawHttpClient streaming(server.port());
  streaming.send(request_text("GET", "/events?endless=1"));
  ASSERT_TRUE(streaming.read_through("id: 3"));
  ASSERT_TRUE(eventually([&] { return server.calls == 4; }));

  EXPECT_LT(server.stop(std::chrono::seconds(20)), std::chrono::seconds(10));
  EXPECT_TRUE(idle.closed_by_server());
  const RawResponse worked = working.receive();
  EXPECT_EQ(worked.status, 200);
  EXPECT_EQ(worked.header("Connection"), "close");
  EXPECT_EQ(waiting.receive().body, "false");
  // Without its last chunk the client knows that the stream was cut.
  EXPECT_FALSE(streaming.read_through("0\r\n\r\n"));
}

TEST(HttpServer, WhoComesWhileItStopsIsToldSo) {
  TestServer server;
  RawHttpClient working(server.port());
  working.send(request_text("GET", "/work"));
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  server.begin_stop(std::chrono::seconds(20));
  RawHttpClient late(server.port());
  const RawResponse refused = late.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(working.receive().status, 200);
}

TEST(HttpServer, StopCutsWhatOutlastsTheGrace) {
  TestServer server;
  RawHttpClient slow(server.port());
  slow.send("GET /things/a HTTP/1.1\r\nHost: loc");
  ASSERT_TRUE(eventually([&] { return server.connections() == 1; }));
  EXPECT_LT(server.stop(std::chrono::milliseconds(100)), std::chrono::seconds(5));
  EXPECT_TRUE(slow.closed_by_server());
}

HttpLimits limits_with_cut(std::chrono::milliseconds cut) {
  HttpLimits limits = TestServer::quick_limits();
  limits.cut = cut;
  return limits;
}

TEST(HttpServer, AHandlerThatDoesNotEndHoldsNoStopUp) {
  TestServer server(limits_with_cut(std::chrono::milliseconds(100)));
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/stuck"));
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  server.begin_stop(std::chrono::milliseconds(100));
  EXPECT_TRUE(server.stops());
  EXPECT_TRUE(client.closed_by_server());
  EXPECT_EQ(server.connections(), 1U);
  server.free_stuck();
}

TEST(HttpServer, WhatHandlersWaitForEndsWhenTheyAreCut) {
  TestServer server(limits_with_cut(std::chrono::seconds(60)));
  server.cut_frees_stuck = true;
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/stuck"));
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  server.begin_stop(std::chrono::milliseconds(100));
  EXPECT_TRUE(server.stops());
  EXPECT_EQ(server.cuts, 1);
  server.free_stuck();
}

TEST(HttpServer, AnAbortEndsTheGraceOfAStop) {
  TestServer server(limits_with_cut(std::chrono::milliseconds(100)));
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/stuck"));
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  server.begin_stop(std::chrono::seconds(60));
  server.abort();
  EXPECT_TRUE(server.stops());
  server.free_stuck();
}

TEST(HttpServer, AddressInUseIsTold) {
  const TestServer server;
  boost::asio::io_context context;
  const Router router;
  HttpOptions options;
  options.port = server.port();
  const auto second = HttpServer::listen(context.get_executor(), options, router, {});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_NE(second.error().message.find(std::to_string(server.port())), std::string::npos);
  options.address = "localhost";
  EXPECT_EQ(HttpServer::listen(context.get_executor(), options, router, {}).error().code,
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
