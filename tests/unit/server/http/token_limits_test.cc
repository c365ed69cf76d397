// What one token may use, and one address without a token.
#include "server/http/token_limits.h"

#include <gtest/gtest.h>

#include "tests/unit/server/http/test_server.h"

namespace hone {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST(TokenLimits, ABucketHoldsASecondsWorthAndFillsAgain) {
  TokenLimits limits({.requests_per_second = 10});
  const Clock::time_point begin = Clock::now() + std::chrono::hours(1);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(limits.spend("a", begin)) << i;
  }
  EXPECT_FALSE(limits.spend("a", begin));
  EXPECT_TRUE(limits.spend("b", begin)) << "another token has its own";
  EXPECT_FALSE(limits.spend("a", begin + milliseconds(50)));
  EXPECT_TRUE(limits.spend("a", begin + milliseconds(160)));
  EXPECT_FALSE(limits.spend("a", begin + milliseconds(170)));
  const Clock::time_point later = begin + std::chrono::hours(1);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(limits.spend("a", later)) << i;
  }
  EXPECT_FALSE(limits.spend("a", later)) << "no more is saved than a second's worth";
}

TEST(TokenLimits, ZeroIsNoLimit) {
  TokenLimits limits({.requests_per_second = 0});
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(limits.spend("a", Clock::now()));
  }
}

TEST(TokenLimits, SharesAreGivenBack) {
  TokenLimits limits({.requests = 2, .streams = 1});
  TokenLimits::Hold first = limits.hold_request("a");
  TokenLimits::Hold second = limits.hold_request("a");
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(limits.hold_request("a"));
  EXPECT_TRUE(limits.hold_request("b"));
  first = TokenLimits::Hold();
  EXPECT_TRUE(limits.hold_request("a"));
  const TokenLimits::Hold stream = limits.hold_stream("a");
  EXPECT_TRUE(stream);
  EXPECT_FALSE(limits.hold_stream("a"));
}

TEST(TokenLimits, ManyTokensOfOldAreForgotten) {
  TokenLimits limits({.requests = 1});
  const TokenLimits::Hold held = limits.hold_request("held");
  for (int i = 0; i < 5'000; ++i) {
    limits.spend("token " + std::to_string(i), Clock::now());
  }
  EXPECT_FALSE(limits.hold_request("held")) << "who holds something is remembered";
}

TEST(TokenLimits, WhoAsksTooOftenIsTold429AndWhenToComeBack) {
  HttpLimits limits = TestServer::quick_limits();
  limits.token.requests_per_second = 3;
  TestServer server(limits);
  RawHttpClient client(server.port());
  int refused = 0;
  for (int i = 0; i < 30 && refused == 0; ++i) {
    client.send(request_text("GET", "/things/a"));
    const RawResponse response = client.receive();
    if (response.status == 429) {
      ++refused;
      EXPECT_EQ(response.header("Retry-After"), "1");
      EXPECT_EQ(response.header("Connection"), "keep-alive");
      EXPECT_NE(response.body.find("resource_exhausted"), std::string::npos) << response.body;
    }
  }
  EXPECT_EQ(refused, 1);
  client.send(request_text("GET", "/things/a", "", "", kViewer));
  EXPECT_EQ(client.receive().status, 200) << "others are served";
  client.send(request_text("GET", "/health"));
  EXPECT_EQ(client.receive().status, 200);
}

TEST(TokenLimits, OneTokenHasSoManyRequestsUnderWay) {
  HttpLimits limits = TestServer::quick_limits();
  limits.token.requests = 2;
  TestServer server(limits);
  RawHttpClient first(server.port());
  RawHttpClient second(server.port());
  RawHttpClient third(server.port());
  first.send(request_text("GET", "/wait"));
  second.send(request_text("GET", "/wait"));
  ASSERT_TRUE(eventually([&] { return server.calls == 2; }));
  third.send(request_text("GET", "/things/a"));
  const RawResponse refused = third.receive();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  first.close();
  ASSERT_TRUE(eventually([&] { return server.peers_gone == 1; }));
  ASSERT_TRUE(eventually([&] { return server.connections() == 2; }));
  third.send(request_text("GET", "/things/a"));
  EXPECT_EQ(third.receive().status, 200);
}

TEST(TokenLimits, OneTokenHasSoManyStreams) {
  HttpLimits limits = TestServer::quick_limits();
  limits.token.streams = 1;
  TestServer server(limits);
  RawHttpClient first(server.port());
  first.send(request_text("GET", "/events?endless=1"));
  ASSERT_TRUE(first.read_through("id: 3"));
  RawHttpClient second(server.port());
  second.send(request_text("GET", "/events"));
  EXPECT_EQ(second.receive().status, 429);
  second.send(request_text("GET", "/things/a"));
  EXPECT_EQ(second.receive().status, 200) << "requests are no streams";
  first.close();
  ASSERT_TRUE(eventually([&] { return server.connections() == 1; }));
  second.send(request_text("GET", "/events"));
  EXPECT_EQ(second.receive().status, 200);
}

}  // namespace
}  // namespace hone
