// Heads of requests in whatever pieces the network makes of them: each is read as if it had come at
// once.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/server/http/raw_tls_client.h"
#include "tests/unit/server/http/tls_test.h"

namespace hone {
namespace {

using Pieces = std::vector<std::string_view>;

std::string with_body(const std::string& id, const std::string& body) {
  return request_text(
      "PUT", "/things/a",
      "Accept: */*\r\nX-Empty:\r\n" + std::string(kJsonType) + "X-Request-Id: " + id + "\r\n",
      body);
}

// Two requests, of which the first has a body.
std::string two_requests(int number) {
  const std::string id = std::to_string(number);
  return with_body("first-" + id, "{\"first\":" + id + "}") +
         request_text("GET", "/things/second" + id, "X-Request-Id: second-" + id + "\r\n");
}

// A request whose head has this size, in fields of at most `field` bytes.
std::string head_of(std::size_t size, std::size_t field) {
  const std::string begin =
      "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: as-large-as-that\r\n";
  std::string text = begin;
  while (text.size() + 2 < size) {
    const std::size_t left = size - 2 - text.size();
    // No rest is left that is too short for a field.
    const std::size_t now = left <= field ? left : std::min(field, left - 8);
    text += "X: " + std::string(now - 5, 'x') + "\r\n";
  }
  return text + "\r\n";
}

Pieces cut(std::string_view text, std::size_t size) {
  Pieces pieces;
  for (; text.size() > size; text.remove_prefix(size)) {
    pieces.push_back(text.substr(0, size));
  }
  pieces.push_back(text);
  return pieces;
}

class PlainClient {
 public:
  explicit PlainClient(TestServer& server) : server_(server), client_(server.port()) {}
  void send(const Pieces& pieces) {
    for (const std::string_view piece : pieces) {
      client_.send(piece);
      server_.settle();
    }
  }
  void expect(int status, const std::string& id, const std::string& body) {
    const RawResponse response = client_.receive();
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.header("X-Request-Id"), id);
    EXPECT_EQ(response.body, body);
  }
  RawHttpClient& raw() { return client_; }

 private:
  TestServer& server_;
  RawHttpClient client_;
};

// What comes over TLS is read record by record, and so piece by piece.
void send(RawTlsClient& client, const Pieces& pieces) {
  for (const std::string_view piece : pieces) {
    client.send(piece);
  }
}

class HeadPieces : public TlsTest {};

TEST_F(HeadPieces, ARequestMayBeCutAnywhere) {
  TestServer server;
  PlainClient client(server);
  const std::size_t size = two_requests(100).size();
  for (std::size_t at = 1; at < size && !HasFailure(); ++at) {
    SCOPED_TRACE("cut at " + std::to_string(at));
    const int number = 100 + static_cast<int>(at % 900);
    const std::string id = std::to_string(number);
    const std::string text = two_requests(number);
    client.send({std::string_view(text).substr(0, at), std::string_view(text).substr(at)});
    client.expect(200, "first-" + id, "{\"first\":" + id + "}");
    client.expect(200, "second-" + id, "\"second" + id + "\"");
  }
}

TEST_F(HeadPieces, ARequestMayComeByteByByte) {
  TestServer server;
  PlainClient client(server);
  const std::string text = two_requests(100) + two_requests(101);
  client.send(cut(text, 1));
  for (const char* id : {"100", "101"}) {
    client.expect(200, std::string("first-") + id, std::string("{\"first\":") + id + "}");
    client.expect(200, std::string("second-") + id, std::string("\"second") + id + "\"");
  }
}

TEST_F(HeadPieces, OverTlsToo) {
  TestServer server(https());
  RawTlsClient client(server.port());
  const std::size_t size = two_requests(100).size();
  for (std::size_t at = 1; at < size && !HasFailure(); ++at) {
    const std::string text = two_requests(100);
    send(client, {std::string_view(text).substr(0, at), std::string_view(text).substr(at)});
    const std::string answers = client.read_through("\"second100\"");
    EXPECT_NE(answers.find("{\"first\":100}"), std::string::npos) << at << ": " << answers;
    EXPECT_TRUE(answers.ends_with("\"second100\"")) << at << ": " << answers;
  }
  const std::string text = two_requests(101);
  send(client, cut(text, 1));
  const std::string answers = client.read_through("\"second101\"");
  EXPECT_NE(answers.find("{\"first\":101}"), std::string::npos) << answers;
  EXPECT_TRUE(answers.ends_with("\"second101\"")) << answers;
}

TEST_F(HeadPieces, AHeadMayHaveAllBytesOfTheLimitAndNoMore) {
  const std::size_t limit = HttpLimits().header_bytes;
  TestServer server;
  for (const std::size_t field : {std::size_t{40}, std::size_t{1000}, limit}) {
    for (const std::size_t piece : {std::size_t{61}, std::size_t{4096}, 2 * limit}) {
      SCOPED_TRACE(std::to_string(field) + " bytes a field, " + std::to_string(piece) + " a piece");
      PlainClient client(server);
      for (const std::size_t size : {std::size_t{8192}, limit}) {
        const std::string text = head_of(size, field);
        ASSERT_EQ(text.size(), size);
        client.send(cut(text, piece));
        client.expect(200, "as-large-as-that", "\"\"");
      }
      const std::string over = head_of(limit + 1, field);
      ASSERT_EQ(over.size(), limit + 1);
      client.send(cut(over, piece));
      EXPECT_EQ(client.raw().receive().status, 431);
    }
  }
}

TEST_F(HeadPieces, TheLimitIsTheSameOverTls) {
  const std::size_t limit = HttpLimits().header_bytes;
  TestServer server(https());
  for (const std::size_t piece : {std::size_t{61}, 2 * limit}) {
    RawTlsClient client(server.port());
    for (const std::size_t size : {std::size_t{8192}, limit}) {
      const std::string text = head_of(size, 1000);
      send(client, cut(text, piece));
      const std::string answer = client.read_through("\"\"");
      EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    }
    const std::string over = head_of(limit + 1, 1000);
    send(client, cut(over, piece));
    const std::string answer = client.read_through("\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 431 ")) << answer;
  }
}

// The bytes of a request that follows its head's limit are not the head's.
TEST_F(HeadPieces, AFullHeadMayHaveABody) {
  TestServer server;
  PlainClient client(server);
  const std::string begin = with_body("full", "[1]");
  const std::size_t limit = HttpLimits().header_bytes;
  const std::string filler = "X: " + std::string(limit - (begin.size() - 3) - 5, 'x') + "\r\n";
  std::string text = begin;
  text.insert(text.find("Accept:"), filler);
  client.send({text});
  client.expect(200, "full", "[1]");
}

TEST_F(HeadPieces, OneThatStopsBetweenTwoLinesIsCutNotIdle) {
  HttpLimits limits = TestServer::quick_limits();
  limits.header = std::chrono::milliseconds(300);
  TestServer server(limits);
  PlainClient client(server);
  const std::string text = request_text("GET", "/things/a") + "GET /things/b HTTP/1.1\r\n";
  client.send({text});
  EXPECT_EQ(client.raw().receive().status, 200);
  EXPECT_EQ(client.raw().receive().status, 408);
}

TEST_F(HeadPieces, WhatIsRefusedAfterSomeLinesIsRefusedWhole) {
  TestServer server;
  PlainClient client(server);
  client.send({"GET /things/a HTTP/1.1\r\nHost: localhost\r\n", "Authorization: Bearer x\r\n",
               "Authorization: Bearer y\r\n", "\r\n"});
  const RawResponse response = client.raw().receive();
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("Authorization stands twice"), std::string::npos) << response.body;
  EXPECT_EQ(client.raw().receive().status, 0);
  EXPECT_EQ(server.calls, 0);
}

}  // namespace
}  // namespace hone
