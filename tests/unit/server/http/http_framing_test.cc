// Requests that a proxy in front of honed could read otherwise than honed does: all refused, so
// that nothing can be smuggled past it.
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/server/http/test_server.h"

namespace hone {
namespace {

std::string head(const std::string& lines, const std::string& line_end = "\r\n") {
  return "PUT /things/a HTTP/1.1" + line_end + "Host: localhost" + line_end +
         "Authorization: Bearer " + kSubmitter + line_end + "Content-Type: application/json" +
         line_end + lines + line_end;
}

struct Refused {
  const char* what;
  std::string text;
};

std::vector<Refused> what_could_be_read_in_two_ways() {
  const std::string nul("X: a\0b\r\n", 8);
  return {
      {"two lengths", head("Content-Length: 2\r\nContent-Length: 3\r\n") + "{} "},
      {"the same length twice", head("Content-Length: 2\r\nContent-Length: 2\r\n") + "{}"},
      {"a list of lengths", head("Content-Length: 2, 2\r\n") + "{}"},
      {"a signed length", head("Content-Length: +2\r\n") + "{}"},
      {"a hexadecimal length", head("Content-Length: 0x2\r\n") + "{}"},
      {"a length past 64 bits", head("Content-Length: 18446744073709551618\r\n") + "{}"},
      {"length and chunks",
       head("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n") + "2\r\n{}\r\n0\r\n\r\n"},
      {"chunks and length",
       head("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n") + "2\r\n{}\r\n0\r\n\r\n"},
      {"chunked twice",
       head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"},
      {"chunked, then identity", head("Transfer-Encoding: chunked, identity\r\n") + "0\r\n\r\n"},
      {"another coding", head("Transfer-Encoding: gzip\r\n") + "{}"},
      {"a coding in disguise", head("Transfer-Encoding: xchunked\r\n") + "0\r\n\r\n"},
      {"space before the colon", head("Transfer-Encoding : chunked\r\n") + "0\r\n\r\n"},
      {"a folded line", head("X: a\r\n b\r\nContent-Length: 2\r\n") + "{}"},
      {"a folded length", head("Content-Length:\r\n 2\r\n") + "{}"},
      {"lines that end by LF", head("Content-Length: 2\n", "\n") + "{}"},
      {"one line that ends by LF", head("X: a\nContent-Length: 2\r\n") + "{}"},
      {"a lone CR", head("X: a\rContent-Length: 2\r\n") + "{}"},
      {"NUL in a value", head(nul + "Content-Length: 2\r\n") + "{}"},
      {"a name with a blank", head("Content Length: 2\r\n") + "{}"},
      {"no name", head(": 2\r\n") + "{}"},
      {"two hosts", head("Host: localhost\r\nContent-Length: 2\r\n") + "{}"},
      {"two tokens", head("Authorization: Bearer x\r\nContent-Length: 2\r\n") + "{}"},
      {"chunks in HTTP/1.0",
       "PUT /things/a HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer submitter-token\r\n"
       "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"},
  };
}

TEST(HttpFraming, WhatCouldBeReadInTwoWaysIsRefused) {
  TestServer server;
  for (const Refused& refused : what_could_be_read_in_two_ways()) {
    RawHttpClient client(server.port());
    client.send(refused.text);
    const RawResponse response = client.receive();
    EXPECT_EQ(response.status, 400) << refused.what;
    EXPECT_EQ(response.header("Connection"), "close") << refused.what;
  }
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpFraming, ItIsRefusedByteByByteToo) {
  HttpLimits limits = TestServer::quick_limits();
  limits.header = std::chrono::milliseconds(500);
  TestServer server(limits);
  for (const Refused& refused : what_could_be_read_in_two_ways()) {
    RawHttpClient client(server.port());
    for (const char byte : refused.text) {
      client.send({&byte, 1});
      server.settle();
    }
    // Of a head that never ends where HTTP's ends, the rest is waited for.
    const int status = client.receive().status;
    EXPECT_TRUE(status == 400 || status == 408) << refused.what << ": " << status;
  }
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpFraming, BadChunksAreRefused) {
  TestServer server;
  const Refused cases[] = {
      {"no size", "\r\n{}\r\n0\r\n\r\n"},
      {"a size that is none", "xyz\r\n{}\r\n0\r\n\r\n"},
      {"a negative size", "-2\r\n{}\r\n0\r\n\r\n"},
      {"a size past 64 bits", "10000000000000002\r\n{}\r\n0\r\n\r\n"},
      {"more than was said", "2\r\n{}{}\r\n0\r\n\r\n"},
      {"a line that ends by LF", "2\n{}\r\n0\r\n\r\n"},
      {"a bad extension", "2;=\r\n{}\r\n0\r\n\r\n"},
      {"a long extension", "2;a=" + std::string(1000, 'x') + "\r\n{}\r\n0\r\n\r\n"},
      {"an endless line", "2;a=" + std::string(100'000, 'x')},
  };
  for (const Refused& refused : cases) {
    RawHttpClient client(server.port());
    client.send(head("Transfer-Encoding: chunked\r\n") + refused.text);
    EXPECT_EQ(client.receive().status, 400) << refused.what;
  }
  EXPECT_EQ(server.calls, 0);
}

TEST(HttpFraming, AShortExtensionAndFieldsBehindTheBodyArePassedOver) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(head("Transfer-Encoding: chunked\r\n") +
              "2;name=value\r\n[]\r\n0\r\nHost: evil.example\r\nX: y\r\n\r\n" +
              request_text("GET", "/things/next"));
  EXPECT_EQ(client.receive().body, "[]");
  EXPECT_EQ(client.receive().body, "\"next\"");
}

TEST(HttpFraming, NothingOfARefusedRequestIsReadAsTheNextOne) {
  TestServer server;
  RawHttpClient client(server.port());
  client.send(head("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" +
              request_text("GET", "/things/smuggled"));
  EXPECT_EQ(client.receive().status, 400);
  EXPECT_EQ(client.receive().status, 0) << "only one answer";
  EXPECT_EQ(server.calls, 0);
}

}  // namespace
}  // namespace hone
