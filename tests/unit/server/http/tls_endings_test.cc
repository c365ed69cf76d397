// HTTPS connections that end early: who leaves, who stalls, and a server that stops.
#include <openssl/ssl.h>

#include <chrono>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "tests/unit/server/http/raw_tls_client.h"
#include "tests/unit/server/http/tls_test.h"

namespace hone {
namespace {

using boost::asio::ip::tcp;
using std::chrono::milliseconds;

TEST_F(TlsTest, AReaderThatStopsIsCutOff) {
  HttpOptions options = https();
  options.limits.write_silence = milliseconds(300);
  TestServer server(options);
  RawTlsClient client(server.port());
  client.send(request_text("GET", "/pieces"));
  EXPECT_TRUE(eventually([&] { return server.peers_gone == 1; }));
  EXPECT_LT(server.pieces, 60);
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
}

TEST_F(TlsTest, WhoLeavesALongPollIsNoticed) {
  TestServer server(https());
  {
    RawTlsClient client(server.port());
    client.send(request_text("GET", "/wait"));
    ASSERT_TRUE(eventually([&] { return server.calls == 1; }));
    // By an orderly leave, which looks like data to whom does not decrypt it.
    boost::system::error_code ignored;
    SSL_shutdown(client.stream().native_handle());
    client.stream().next_layer().shutdown(tcp::socket::shutdown_send, ignored);
    EXPECT_TRUE(eventually([&] { return server.peers_gone == 1; }));
  }
  RawTlsClient client(server.port());
  client.send(request_text("GET", "/wait"));
  ASSERT_TRUE(eventually([&] { return server.calls == 2; }));
  client.close();
  EXPECT_TRUE(eventually([&] { return server.peers_gone == 2; }));
}

// What the client has sent and the server has not read, since the kernel has it at either end.
std::size_t unread(const TestServer& server, RawTlsClient& client) {
  const unsigned there = server.port();
  const unsigned here = client.stream().next_layer().local_endpoint().port();
  const std::string receiver = fmt::format("0100007F:{:04X} 0100007F:{:04X} ", there, here);
  const std::string sender = fmt::format("0100007F:{:04X} 0100007F:{:04X} ", here, there);
  std::size_t bytes = 0;
  std::ifstream sockets("/proc/net/tcp");
  for (std::string line; std::getline(sockets, line);) {  // "... 01 TTTTTTTT:RRRRRRRR ..."
    if (const std::size_t at = line.find(receiver); at != std::string::npos) {
      bytes += std::stoul(line.substr(at + receiver.size() + 12, 8), nullptr, 16);
    }
    if (const std::size_t at = line.find(sender); at != std::string::npos) {
      bytes += std::stoul(line.substr(at + sender.size() + 3, 8), nullptr, 16);
    }
  }
  return bytes;
}

TEST_F(TlsTest, WhoSendsWhileItListensIsNotReadWithoutEnd) {
  TestServer server(https());
  RawTlsClient client(server.port());
  client.send(request_text("GET", "/events?endless=often"));
  ASSERT_TRUE(eventually([&] { return server.waits > 0; }));
  const std::size_t sent = 256 << 10U;
  client.send(std::string(sent, 'x'));
  const int before = server.waits;
  ASSERT_TRUE(eventually([&] { return server.waits > before + 100; }));
  EXPECT_GT(unread(server, client), sent - (64 << 10U));
  client.close();
}

TEST_F(TlsTest, StopEndsIdleAndWaitingConnections) {
  TestServer server(https());
  RawTlsClient idle(server.port());
  idle.send(request_text("GET", "/things/a"));
  idle.read_through("\"a\"");
  RawTlsClient waiting(server.port());
  waiting.send(request_text("GET", "/wait"));
  ASSERT_TRUE(eventually([&] { return server.calls == 2; }));
  EXPECT_LT(server.stop(std::chrono::seconds(20)), std::chrono::seconds(10));
  EXPECT_NE(waiting.read_through("false").find("Connection: close"), std::string::npos);
}

TEST_F(TlsTest, ASlowHandshakeIsCut) {
  HttpOptions options = https();
  options.limits.header = milliseconds(300);
  TestServer server(options);
  RawHttpClient client(server.port());
  client.send("\x16\x03\x01");
  EXPECT_TRUE(client.closed_by_server());
  RawHttpClient silent(server.port());
  EXPECT_TRUE(silent.closed_by_server());
}

}  // namespace
}  // namespace hone
