// WebSockets: how a connection becomes one, and ends.
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/websocket_client.h"
#include "tests/unit/server/http/test_server.h"

namespace hone {
namespace {

TEST(HttpMessages, GoThereAndBackInOrder) {
  TestServer server;
  WebSocketClient client(server.port());
  ASSERT_EQ(client.open("/talk", kSubmitter), 101);
  EXPECT_EQ(server.last_status, 101);
  ASSERT_TRUE(client.send("one"));
  ASSERT_TRUE(client.send(std::string(1000, 'x')));
  EXPECT_EQ(client.receive(), "one");
  EXPECT_EQ(client.receive(), std::string(1000, 'x'));
}

TEST(HttpMessages, AskForATokenAndARole) {
  TestServer server;
  EXPECT_EQ(WebSocketClient(server.port()).open("/talk", "nobody's"), 401);
  EXPECT_EQ(WebSocketClient(server.port()).open("/talk", kViewer), 403);
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpMessages, AnOrdinaryRequestIsToldWhatIsMissing) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/talk"));
  const RawResponse response = client.receive();
  EXPECT_EQ(response.status, 426);
  EXPECT_NE(response.body.find("Sec-WebSocket-Key"), std::string::npos) << response.body;
}

TEST(HttpMessages, AHandshakeWithoutKeyOrOfAnotherVersionIsToldSoByUs) {
  TestServer server;
  const std::string head = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  for (const std::string& more :
       {head + "Sec-WebSocket-Version: 13\r\n", head + key,
        head + key + "Sec-WebSocket-Version: 8\r\n",
        head + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n"}) {
    RawHttpClient client(server.port());
    client.send(request_text("GET", "/talk", more));
    const RawResponse response = client.receive();
    EXPECT_EQ(response.status, 426) << more;
    EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
    EXPECT_EQ(response.header("Sec-WebSocket-Version"), "13");
    EXPECT_TRUE(eventually([&] { return server.last_status == 426; }));
  }
}

TEST(HttpMessages, AnUpgradeElsewhereIsAnOrdinaryRequest) {
  TestServer server;
  EXPECT_EQ(WebSocketClient(server.port()).open("/things/a", kSubmitter), 200);
}

TEST(HttpMessages, OnePastTheLimitEndsTheConversation) {
  TestServer server;
  WebSocketClient client(server.port());
  ASSERT_EQ(client.open("/talk", kSubmitter), 101);
  ASSERT_TRUE(client.send(std::string(1001, 'x')));
  EXPECT_EQ(client.receive(), std::nullopt);
  EXPECT_EQ(client.closed_with(), boost::beast::websocket::close_code::too_big);
  EXPECT_EQ(client.closed_because(), "a message here has at most 1000 bytes");
}

TEST(HttpMessages, BinaryOnesEndTheConversation) {
  TestServer server;
  WebSocketClient client(server.port());
  ASSERT_EQ(client.open("/talk", kSubmitter), 101);
  ASSERT_TRUE(client.send_binary("one"));
  EXPECT_EQ(client.receive(), std::nullopt);
  EXPECT_EQ(client.closed_with(), boost::beast::websocket::close_code::unknown_data);
}

// Upgraded, with nothing but the client's frames to come; what RFC 6455 has as its example's key.
void upgrade(RawHttpClient& client, std::string& head) {
  client.send(request_text("GET", "/talk",
                           "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                           "Sec-WebSocket-Version: 13\r\n"));
  head = client.read_through("\r\n\r\n").value_or("");
}

// Of a masked text; the length in eight bytes.
std::string frame_head(std::uint64_t length) {
  std::string head("\x81\xff", 2);
  for (int shift = 56; shift >= 0; shift -= 8) {
    head += static_cast<char>((length >> static_cast<unsigned>(shift)) & 0xffU);
  }
  return head.append(4, '\0');
}

TEST(HttpMessages, OneFarPastTheLimitIsRefusedAtItsHead) {
  TestServer server;
  RawHttpClient client(server.port());
  std::string head;
  upgrade(client, head);
  ASSERT_TRUE(head.starts_with("HTTP/1.1 101")) << head;
  client.send(frame_head(std::uint64_t{1} << 62U));  // and nothing of it
  EXPECT_TRUE(client.read_through(std::string("\x88\x02\x03\xf1", 4))) << "no close with 1009";
  EXPECT_TRUE(client.closed_by_server());
  client.close();
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
}

TEST(HttpMessages, LittleIsReadBehindOnePastTheLimit) {
  HttpLimits limits = TestServer::quick_limits();
  limits.linger = std::chrono::milliseconds(60'000);
  limits.header = std::chrono::milliseconds(60'000);
  TestServer server(limits);
  RawHttpClient client(server.port());
  std::string head;
  upgrade(client, head);
  ASSERT_TRUE(head.starts_with("HTTP/1.1 101")) << head;
  client.send(frame_head(1001) + std::string(1001, 'x'));
  const std::string piece = frame_head(1'000'000) + std::string(1'000'000, 'x');
  int sent = 0;
  while (sent < 100 && client.send(piece)) {
    ++sent;
  }
  EXPECT_LT(sent, 100) << "MB";
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
}

TEST(HttpMessages, WhatIsNoFrameEndsTheConnection) {
  TestServer server;
  RawHttpClient client(server.port());
  std::string head;
  upgrade(client, head);
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101")) << head;
  // What RFC 6455 has as the answer to its example's key.
  EXPECT_NE(head.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos) << head;
  client.send("this is no frame, and it is not masked");
  client.read_through("never");  // a close frame at most
  client.close();
  for (int i = 0; i < 100 && server.connections() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(server.connections(), 0U);
}

TEST(HttpMessages, OneWhoSaysNothingNotEvenToPingsIsGivenUp) {
  HttpLimits limits = TestServer::quick_limits();
  limits.idle = std::chrono::milliseconds(300);
  TestServer server(limits);
  WebSocketClient client(server.port());  // answers pings only while it reads
  ASSERT_EQ(client.open("/talk", kSubmitter), 101);
  for (int i = 0; i < 250 && server.connections() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(server.connections(), 0U);
}

// While it reads, the client answers pings.
TEST(HttpMessages, OneWhoWaitsForALongAnswerIsNotIdle) {
  HttpLimits limits = TestServer::quick_limits();
  limits.idle = std::chrono::milliseconds(1000);
  TestServer server(limits);
  WebSocketClient client(server.port());
  ASSERT_EQ(client.open("/talk", kSubmitter), 101);
  ASSERT_TRUE(client.send("work"));
  EXPECT_EQ(client.receive(), "work");
}

TEST(HttpMessages, WaitInOrderBehindALongAnswer) {
  HttpLimits limits = TestServer::quick_limits();
  limits.idle = std::chrono::milliseconds(1000);
  TestServer server(limits);
  WebSocketClient client(server.port());
  ASSERT_EQ(client.open("/talk", kSubmitter), 101);
  for (const char* message : {"work", "one", "two", "three", "four"}) {
    ASSERT_TRUE(client.send(message));
  }
  for (const char* message : {"work", "one", "two", "three", "four"}) {
    EXPECT_EQ(client.receive(), message);
  }
}

TEST(HttpMessages, OneWhoSendsButReadsNothingIsCutOff) {
  HttpLimits limits = TestServer::quick_limits();
  limits.write_silence = std::chrono::milliseconds(300);
  TestServer server(limits);
  WebSocketClient client(server.port());
  ASSERT_EQ(client.open("/talk", kSubmitter), 101);
  ASSERT_TRUE(client.send("flood"));
  EXPECT_TRUE(eventually([&] {
    client.send("more");
    return server.connections() == 0;
  }));
}

TEST(HttpMessages, TheServersStopEndsThem) {
  TestServer server;
  WebSocketClient client(server.port());
  ASSERT_EQ(client.open("/talk", kSubmitter), 101);
  ASSERT_TRUE(client.send("one"));
  EXPECT_EQ(client.receive(), "one");
  EXPECT_LT(server.stop(std::chrono::seconds(20)), std::chrono::seconds(10));
  EXPECT_EQ(client.receive(), std::nullopt);
  EXPECT_EQ(client.closed_with(), boost::beast::websocket::close_code::going_away);
  EXPECT_EQ(client.closed_because(), "honed stops");
}

}  // namespace
}  // namespace hone
