// Who is served when a server, a token or an address has all the connections it may have.
#include <deque>

#include <gtest/gtest.h>

#include "server/http/connection_line.h"
#include "tests/unit/server/http/test_server.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

int ask(RawHttpClient& client, std::string_view path, std::string_view token) {
  client.send(request_text("GET", path, "", "", token));
  return client.receive().status;
}

// Served once, so that the server has it, and in the line.
void open_all(std::deque<RawHttpClient>& clients, TestServer& server, std::size_t count,
              std::string_view token) {
  for (std::size_t i = 0; i < count; ++i) {
    clients.emplace_back(server.port());
    ASSERT_EQ(ask(clients.back(), "/things/a", token), 200);
    server.settle();
  }
}

TEST(HttpConnections, TheLongestIdleOneOfAFullServerMakesWay) {
  HttpLimits limits = TestServer::quick_limits();
  limits.connections = 3;
  TestServer server(limits);
  std::deque<RawHttpClient> clients;
  open_all(clients, server, 3, kViewer);
  ASSERT_EQ(ask(clients[0], "/things/a", kViewer),
            200);  // now the second has been idle for longest
  server.settle();
  RawHttpClient newcomer(server.port());
  EXPECT_EQ(ask(newcomer, "/things/a", kSubmitter), 200);
  EXPECT_TRUE(clients[1].closed_by_server());
  EXPECT_EQ(ask(clients[0], "/things/a", kViewer), 200);
  EXPECT_EQ(ask(clients[2], "/things/a", kViewer), 200);
}

TEST(HttpConnections, OneWithARequestUnderWayIsNotEnded) {
  HttpLimits limits = TestServer::quick_limits();
  limits.connections = 2;
  TestServer server(limits);
  RawHttpClient waiting(server.port());
  waiting.send(request_text("GET", "/wait?ms=20000", "", "", kViewer));
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  RawHttpClient idle(server.port());
  ASSERT_EQ(ask(idle, "/things/a", kViewer), 200);
  server.settle();
  RawHttpClient newcomer(server.port());
  EXPECT_EQ(ask(newcomer, "/things/a", kSubmitter), 200);
  EXPECT_TRUE(idle.closed_by_server());
  EXPECT_EQ(server.peers_gone, 0);
}

TEST(HttpConnections, TheLastPlacesAreForAdministratorsAndForWhatTakesNoToken) {
  HttpLimits limits = TestServer::quick_limits();
  limits.connections = 2;
  TestServer server(limits);
  RawHttpClient first(server.port());
  RawHttpClient second(server.port());
  first.send(request_text("GET", "/wait?ms=20000", "", "", kViewer));
  second.send(request_text("GET", "/wait?ms=20000", "", "", kViewer));
  ASSERT_TRUE(eventually([&] { return server.calls == 2; }));
  for (const char* refused : {kWorker, kViewer}) {
    RawHttpClient client(server.port());
    client.send(request_text("GET", "/things/a", "", "", refused));
    const RawResponse response = client.receive();
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.header("Retry-After"), "1");
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_NE(response.body.find("too many connections"), std::string::npos) << response.body;
  }
  RawHttpClient administrator(server.port());
  EXPECT_EQ(ask(administrator, "/things/a", kAdmin), 200);
  EXPECT_TRUE(administrator.closed_by_server()) << "it keeps the place";
  RawHttpClient monitor(server.port());
  monitor.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(monitor.receive().status, 200);
}

TEST(HttpConnections, ATokenLosesItsOwnLongestIdleOne) {
  HttpLimits limits = TestServer::quick_limits();
  limits.token.connections = 2;
  TestServer server(limits);
  std::deque<RawHttpClient> others;
  open_all(others, server, 1, kSubmitter);
  std::deque<RawHttpClient> clients;
  open_all(clients, server, 3, kViewer);
  EXPECT_TRUE(clients[0].closed_by_server());
  EXPECT_EQ(ask(clients[1], "/things/a", kViewer), 200);
  EXPECT_EQ(ask(clients[2], "/things/a", kViewer), 200);
  EXPECT_EQ(ask(others[0], "/things/a", kSubmitter), 200);
  EXPECT_TRUE(eventually([&] { return server.connections() == 3; }));
}

TEST(HttpConnections, ATokenThatUsesAllOfItsOwnIsTold) {
  HttpLimits limits = TestServer::quick_limits();
  limits.token.connections = 1;
  TestServer server(limits);
  RawHttpClient first(server.port());
  first.send(request_text("GET", "/wait?ms=20000", "", "", kViewer));
  ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
  RawHttpClient second(server.port());
  EXPECT_EQ(ask(second, "/things/a", kViewer), 429);
  EXPECT_TRUE(second.closed_by_server());
  RawHttpClient other(server.port());
  EXPECT_EQ(ask(other, "/things/a", kSubmitter), 200);
  first.close();
  ASSERT_TRUE(eventually([&] { return server.connections() == 1; }));
  RawHttpClient third(server.port());
  EXPECT_EQ(ask(third, "/things/a", kViewer), 200);
}

TEST(HttpConnections, AConnectionCountsForTheTokenThatItShowedLast) {
  HttpLimits limits = TestServer::quick_limits();
  limits.token.connections = 1;
  TestServer server(limits);
  RawHttpClient proxy(server.port());
  ASSERT_EQ(ask(proxy, "/things/a", kViewer), 200);
  ASSERT_EQ(ask(proxy, "/things/a", kSubmitter), 200);
  server.settle();
  RawHttpClient viewer(server.port());
  EXPECT_EQ(ask(viewer, "/things/a", kViewer), 200);
  EXPECT_EQ(ask(proxy, "/things/a", kSubmitter), 200);
}

TEST(HttpConnections, ASilentOneOfItsAddressMakesWay) {
  HttpLimits limits = TestServer::quick_limits();
  limits.anonymous_connections = 3;
  TestServer server(limits);
  std::deque<RawHttpClient> silent;
  for (std::size_t i = 0; i < 3; ++i) {
    silent.emplace_back(server.port());
    ASSERT_TRUE(eventually([&] { return server.connections() == i + 1; }));
  }
  RawHttpClient monitor(server.port());
  monitor.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(monitor.receive().status, 200);
  EXPECT_TRUE(silent[0].closed_by_server());
  RawHttpClient newcomer(server.port());
  EXPECT_EQ(ask(newcomer, "/things/a", kSubmitter), 200);
  EXPECT_TRUE(silent[1].closed_by_server());
  EXPECT_EQ(ask(silent[2], "/things/a", kSubmitter), 200);
}

TEST(HttpConnections, OneThatStopsWithinItsHeaderMakesWay) {
  HttpLimits limits = TestServer::quick_limits();
  limits.anonymous_connections = 1;
  TestServer server(limits);
  RawHttpClient slow(server.port());
  slow.send("GET /health HTTP/1.1\r\n");
  ASSERT_TRUE(eventually([&] { return server.connections() == 1; }));
  server.settle();
  RawHttpClient newcomer(server.port());
  EXPECT_EQ(ask(newcomer, "/things/a", kSubmitter), 200);
  EXPECT_TRUE(slow.closed_by_server());
}

TEST(HttpConnections, OneWhoseTokenIsLookedUpDoesNot) {
  HttpLimits limits = TestServer::quick_limits();
  limits.anonymous_connections = 1;
  TestServer server(limits);
  RawHttpClient known(server.port());
  ASSERT_EQ(ask(known, "/things/a", kViewer), 200);  // and does not count any more
  RawHttpClient first(server.port());
  first.send(request_text("GET", "/things/a", "", "", kSlow));
  ASSERT_TRUE(eventually([&] { return server.calls == 2; }));
  RawHttpClient second(server.port());
  const RawResponse refused = second.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_NE(refused.body.find("no token"), std::string::npos) << refused.body;
  server.free_stuck();
  EXPECT_EQ(first.receive().status, 401);
  server.settle();
  RawHttpClient third(server.port());
  EXPECT_EQ(ask(third, "/things/a", kSubmitter), 200);
  EXPECT_TRUE(first.closed_by_server());
}

TEST(HttpConnections, ABadTokenBetweenGoodOnesEndsNoRequest) {
  HttpLimits limits = TestServer::quick_limits();
  limits.connections = 1;
  TestServer server(limits);
  RawHttpClient client(server.port());
  ASSERT_EQ(ask(client, "/things/a", kViewer), 200);
  client.send(request_text("GET", "/things/a", "", "", "nobody's") +
              request_text("GET", "/stuck", "", "", kViewer));
  EXPECT_EQ(client.receive().status, 401);
  ASSERT_TRUE(eventually([&] { return server.calls == 2; }));
  RawHttpClient newcomer(server.port());
  EXPECT_EQ(ask(newcomer, "/things/a", kViewer), 503);
  server.free_stuck();
  EXPECT_EQ(client.receive().status, 200);
}

TEST(HttpConnections, AFirstByteIsNotWaitedForAsLongAsANextRequest) {
  HttpLimits limits = TestServer::quick_limits();
  limits.first_byte = milliseconds(200);
  TestServer server(limits);
  RawHttpClient kept(server.port());
  ASSERT_EQ(ask(kept, "/things/a", kViewer), 200);
  RawHttpClient silent(server.port());
  EXPECT_TRUE(silent.closed_by_server());
  EXPECT_EQ(ask(kept, "/things/a", kViewer), 200);
}

class Member final : public LineMember {
 public:
  explicit Member(bool may) : may_(may) {}
  bool may_end() override { return may_; }
  void make_way() override { ++ended; }
  const boost::asio::ip::address& address() const override { return address_; }
  bool anonymous() const override { return true; }
  const std::string& token_id() const override { return token_; }
  int ended = 0;

 private:
  bool may_;
  boost::asio::ip::address address_ = boost::asio::ip::make_address("192.0.2.1");
  std::string token_;
};

TEST(ConnectionLine, WhoseRequestIsOnTheWayStays) {
  ConnectionLine line;
  Member asks(false);
  Member idle(true);
  line.enter(asks);
  line.enter(idle);
  EXPECT_TRUE(line.end_first());
  EXPECT_EQ(asks.ended, 0);
  EXPECT_EQ(idle.ended, 1);
  EXPECT_FALSE(line.end_first()) << "nobody is ended twice";
}

TEST(ConnectionLine, WhoComesAgainIsLast) {
  ConnectionLine line;
  Member first(true);
  Member second(true);
  {
    Member gone(true);
    line.enter(gone);
  }
  line.enter(first);
  line.enter(second);
  line.enter(first);
  EXPECT_TRUE(line.end_first_from(boost::asio::ip::make_address("::ffff:192.0.2.1")));
  EXPECT_EQ(second.ended, 1);
  EXPECT_FALSE(line.end_first_from(boost::asio::ip::make_address("192.0.2.2")));
  ConnectionLine::leave(first);
  EXPECT_FALSE(line.end_first());
}

}  // namespace
}  // namespace hone
