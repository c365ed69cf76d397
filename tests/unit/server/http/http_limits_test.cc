// What an HttpServer does with clients that send too much, too slowly, or no HTTP at all.
#include <gtest/gtest.h>

#include "tests/unit/server/http/test_server.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

TEST(HttpLimits, BodyPastTheLimitIsRefusedFromItsLengthAlone) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(
      request_text("PUT", "/things/a", std::string(kJsonType) + "Content-Length: 100000000\r\n"));
  const RawResponse response = client.receive();  // not a byte of the body was sent
  EXPECT_EQ(response.status, 413);
  EXPECT_NE(response.body.find("1000"), std::string::npos);
  EXPECT_EQ(response.header("Connection"), "close");
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpLimits, ClientThatIsStillSendingGetsTheRefusal) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(
      request_text("PUT", "/things/a", std::string(kJsonType) + "Content-Length: 100000000\r\n"));
  const std::string piece(1'000'000, ' ');
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client.send(piece)) << "reset after " << i << " MB";
  }
  EXPECT_EQ(client.receive().status, 413);
}

TEST(HttpLimits, ChunkedBodyPastTheLimitIsRefused) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(
      request_text("PUT", "/things/a", std::string(kJsonType) + "Transfer-Encoding: chunked\r\n"));
  client.send("400\r\n" + std::string(0x400, ' ') + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpLimits, ChunkedUploadPastTheLimitIsRefusedOnTheWay) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(
      request_text("PUT", "/files/a", std::string(kOctetsType) + "Transfer-Encoding: chunked\r\n"));
  const std::string piece = "F4240\r\n" + std::string(1'000'000, 'u') + "\r\n";
  for (int i = 0; i < 11 && client.send(piece); ++i) {
  }
  EXPECT_EQ(client.receive().status, 413);
}

TEST(HttpLimits, HugeHeaderIsRefused) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x'));
  const RawResponse response = client.receive();
  EXPECT_EQ(response.status, 431);
  EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
}

TEST(HttpLimits, WhatIsNoHttpIsRefused) {
  TestServer server;
  for (const std::string_view text :
       {"\x16\x03\x01\x02garbage of another protocol\r\n\r\n", "GET\r\n\r\n",
        "GET / HTTP/3.7\r\nHost: localhost\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nNo colon\r\n\r\n",
        "PUT /things/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        "PUT /things/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"}) {
    RawHttpClient client(server.port());
    client.send(text);
    EXPECT_EQ(client.receive().status, 400) << text;
  }
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpLimits, ARequestThatOthersSeeEndElsewhereEndsTheConnection) {
  TestServer server;
  const std::string inner = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const std::string_view headers :
       {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Content-Length: 0, 0\r\n",
        "Host: elsewhere.example\r\n", "Origin: a\r\nOrigin: b\r\n"}) {
    RawHttpClient client(server.port());
    client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n" +
                inner);
    EXPECT_EQ(client.receive().status, 400) << headers;
    EXPECT_EQ(client.receive().status, 0) << headers;
  }
}

TEST(HttpLimits, SlowHeaderIsCut) {
  HttpLimits limits = TestServer::quick_limits();
  limits.header = milliseconds(300);
  TestServer server(limits);
  RawHttpClient client(server.port());
  const auto begin = std::chrono::steady_clock::now();
  // One byte at a time, never silent for long: only a limit on the whole catches it.
  const std::string text = request_text("GET", "/health");
  for (std::size_t i = 0; i < text.size() - 1; ++i) {
    if (std::chrono::steady_clock::now() - begin > milliseconds(1500)) {
      break;
    }
    client.send(text.substr(i, 1));
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpLimits, SlowBodyIsCut) {
  HttpLimits limits = TestServer::quick_limits();
  limits.json_body = milliseconds(300);
  TestServer server(limits);
  RawHttpClient client(server.port());
  client.send(request_text("PUT", "/things/a", std::string(kJsonType) + "Content-Length: 500\r\n"));
  for (int i = 0; i < 20; ++i) {
    client.send(" ");
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpLimits, SilentUploadIsCut) {
  HttpLimits limits = TestServer::quick_limits();
  limits.body_silence = milliseconds(200);
  TestServer server(limits);
  RawHttpClient client(server.port());
  client.send(
      request_text("PUT", "/files/a", std::string(kOctetsType) + "Content-Length: 500\r\n"));
  client.send("start");
  EXPECT_EQ(client.receive().status, 408);
}

TEST(HttpLimits, IdleConnectionIsClosed) {
  HttpLimits limits = TestServer::quick_limits();
  limits.idle = milliseconds(200);
  TestServer server(limits);
  RawHttpClient client(server.port());
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpLimits, ReaderThatReadsNothingIsCut) {
  HttpLimits limits = TestServer::quick_limits();
  limits.write_silence = milliseconds(300);
  TestServer server(limits);
  RawHttpClient client(server.port());
  // Answers of a megabyte each, until both sockets' buffers are full.
  for (int i = 0; i < 40; ++i) {
    client.send(request_text("GET", "/files/a"));
  }
  ASSERT_TRUE(eventually([&] { return server.connections() == 1; }));
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
}

TEST(HttpLimits, TruncatedBodyReachesNoHandler) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(request_text("PUT", "/things/a", std::string(kJsonType) + "Content-Length: 500\r\n"));
  client.send("{\"half\":");
  client.finish_sending();
  const RawResponse response = client.receive();
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("broke off"), std::string::npos);
  EXPECT_EQ(server.calls, 0);
}

}  // namespace
}  // namespace hone
