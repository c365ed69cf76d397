// HTTPS from end to end: our client asks our server; bodies, streams and WebSockets pass.
#include "tests/unit/server/http/tls_test.h"

#include <openssl/ssl.h>

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "tests/unit/server/http/raw_tls_client.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

TEST_F(TlsTest, OurClientAsksOurServer) {
  const TestServer server(https());
  const Result<Client> asking = client(server);
  ASSERT_TRUE(asking) << asking.error().describe();
  for (int i = 0; i < 3; ++i) {
    const Result<Response> got = asking->exchange("GET", "/things/a", "");
    ASSERT_TRUE(got) << got.error().describe();
    EXPECT_EQ(got->body, "\"a\"");
    EXPECT_EQ(got->header("strict-transport-security"), "max-age=31536000");
  }
  const Result<Json> put = asking->put("/things/b", Json::array({1, 2}));
  ASSERT_TRUE(put) << put.error().describe();
  EXPECT_EQ(*put, Json::array({1, 2}));
}

// Asks for /things/a over a connection of its own; whether it took up a session.
asio::awaitable<bool> resumes(std::uint16_t port, TlsContext context) {
  tcp::socket socket(co_await asio::this_coro::executor);
  socket.connect({asio::ip::address_v4::loopback(), port});
  socket.non_blocking(true);
  ByteStream stream(std::move(socket));
  stream.secure(std::move(context));
  verify_host(*stream.tls(), "127.0.0.1");
  co_await stream.tls()->async_handshake(TlsStream::Side::client, asio::use_awaitable);
  const std::string request = request_text("GET", "/things/a");
  co_await asio::async_write(stream, asio::buffer(request), asio::use_awaitable);
  std::string answer;
  co_await asio::async_read_until(stream, asio::dynamic_buffer(answer), "\"a\"",
                                  asio::use_awaitable);
  co_return SSL_session_reused(stream.tls()->native_handle()) == 1;
}

TEST_F(TlsTest, ANextConnectionTakesUpTheSession) {
  const TestServer server(https());
  const TlsContext context = *make_client_tls({ca_.certificate(), {}, {}});
  for (const bool again : {false, true}) {
    asio::io_context io;
    auto asked = asio::co_spawn(io, resumes(server.port(), context), asio::use_future);
    io.run();
    EXPECT_EQ(asked.get(), again);
  }
}

TEST_F(TlsTest, OverPlainHttpNobodyIsToldToStayWithTls) {
  const TestServer server;
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/health"));
  EXPECT_EQ(client.receive().header("Strict-Transport-Security"), "");
}

TEST_F(TlsTest, LargeBodiesGoBothWays) {
  TestServer server(https());
  const Result<Client> asking = client(server);
  const std::string body(3'000'000, 'u');
  RequestOptions octets;
  octets.headers = {{"Content-Type", "application/octet-stream"}};
  const Result<Response> put = asking->exchange("PUT", "/files/a", body, octets);
  ASSERT_TRUE(put) << put.error().describe();
  EXPECT_EQ(server.received, body.size());
  const Result<Response> got = asking->exchange("GET", "/files/a", "");
  ASSERT_TRUE(got) << got.error().describe();
  EXPECT_EQ(got->body, std::string(1'000'000, 'x'));
}

TEST_F(TlsTest, EventsAndPiecesStream) {
  TestServer server(https());
  const Result<Client> asking = client(server);
  std::vector<std::string> ids;
  const Result<void> read = asking->events("/events", [&](const ServerEvent& event) {
    ids.push_back(event.id);
    return true;
  });
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(ids, (std::vector<std::string>{"1", "2", "3"}));
  std::size_t size = 0;
  const Result<void> streamed =
      asking->stream("/pieces", [&](std::string_view piece) -> Result<bool> {
        size += piece.size();
        return true;
      });
  ASSERT_TRUE(streamed) << streamed.error().describe();
  EXPECT_EQ(size, 64'000'000U);
}

TEST_F(TlsTest, ANextRequestIsNoLeave) {
  TestServer server(https());
  RawTlsClient client(server.port());
  client.send(request_text("GET", "/wait?ms=300") + request_text("GET", "/things/next"));
  const std::string both = client.read_through("\"next\"");
  EXPECT_NE(both.find("\r\n\r\ntrue"), std::string::npos) << both;
  EXPECT_NE(both.find("\"next\""), std::string::npos) << both;
}

TEST_F(TlsTest, WebSocketsConverse) {
  TestServer server(https());
  RawTlsClient client(server.port());
  boost::beast::websocket::stream<RawTlsClient::Stream&> socket(client.stream());
  socket.set_option(boost::beast::websocket::stream_base::decorator(
      [](boost::beast::websocket::request_type& request) {
        request.set(boost::beast::http::field::authorization, "Bearer " + std::string(kSubmitter));
      }));
  boost::system::error_code error;
  socket.handshake("localhost", "/talk", error);
  ASSERT_FALSE(error) << error.message();
  for (const char* text : {"one", "two"}) {
    socket.write(asio::buffer(std::string(text)), error);
    boost::beast::flat_buffer buffer;
    socket.read(buffer, error);
    ASSERT_FALSE(error) << error.message();
    EXPECT_EQ(boost::beast::buffers_to_string(buffer.data()), text);
  }
  socket.close(boost::beast::websocket::close_code::normal, error);
  EXPECT_FALSE(error) << error.message();
  EXPECT_TRUE(eventually([&] { return server.connections() == 0; }));
}

}  // namespace
}  // namespace hone
