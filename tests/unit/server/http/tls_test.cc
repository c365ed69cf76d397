// HTTPS from end to end: our server, our client, and others that try what they should not.
#include <openssl/ssl.h>

#include <fstream>

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/client/client.h"
#include "server/http/tls_identity.h"
#include "tests/support/certificates.h"
#include "tests/unit/server/http/test_server.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::milliseconds;

class TlsTest : public testing::Test {
 protected:
  TlsTest()
      : folder_(*TemporaryFolder::create("tls")),
        ca_(folder_.path(), "ca"),
        identity_(*TlsIdentity::load(
            {ca_.sign("server", "127.0.0.1").certificate, path("server.key"), ca_.certificate()})) {
    set_log_level(LogLevel::off);
  }

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  HttpOptions https() {
    HttpOptions options = TestServer::options_with(TestServer::quick_limits());
    options.tls = [this] { return identity_.context(); };
    return options;
  }

  static std::string url(const TestServer& server, const std::string& host = "127.0.0.1") {
    return "https://" + host + ":" + std::to_string(server.port());
  }

  Result<Client> client(const TestServer& server, const std::string& token = kSubmitter) const {
    ClientOptions options;
    options.url = url(server);
    options.token = token;
    options.retries = 0;
    options.tls.ca = ca_.certificate();
    return Client::create(std::move(options));
  }

  // What a client with these files is told when it asks for /things/a.
  static Error refusal(const std::string& url, const ClientTls& tls,
                       const std::string& token = kSubmitter) {
    ClientOptions options;
    options.url = url;
    options.token = token;
    options.retries = 0;
    options.tls = tls;
    const Result<Client> made = Client::create(std::move(options));
    if (!made) {
      return made.error();
    }
    const Result<Json> got = made->get("/things/a");
    return got ? fail(ErrorCode::internal, "it was answered") : got.error();
  }

  TemporaryFolder folder_;
  TestCa ca_;
  TlsIdentity identity_;
};

// A TLS client for what Client does not do.
class RawTlsClient {
 public:
  using Stream = asio::ssl::stream<tcp::socket>;

  explicit RawTlsClient(std::uint16_t port, int most = TLS1_3_VERSION) {
    SSL_CTX_set_max_proto_version(tls_.native_handle(), most);
    stream_ = std::make_unique<Stream>(context_, tls_);
    stream_->next_layer().connect({asio::ip::address_v4::loopback(), port}, error_);
    stream_->handshake(Stream::client, error_);
  }

  const boost::system::error_code& error() const { return error_; }
  Stream& stream() { return *stream_; }
  void send(const std::string& text) { asio::write(*stream_, asio::buffer(text), error_); }
  // What comes until `end` does, or the connection ends.
  std::string read_through(const std::string& end) {
    std::string text;
    asio::read_until(*stream_, asio::dynamic_buffer(text), end, error_);
    return text;
  }
  void close() { stream_->next_layer().close(); }

 private:
  asio::io_context context_;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  std::unique_ptr<Stream> stream_;
  boost::system::error_code error_;
};

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

TEST_F(TlsTest, OldVersionsAreRefused) {
  const TestServer server(https());
  EXPECT_TRUE(RawTlsClient(server.port(), TLS1_1_VERSION).error());
  EXPECT_FALSE(RawTlsClient(server.port(), TLS1_2_VERSION).error());
}

TEST_F(TlsTest, PlainHttpIsToldToUseTls) {
  TestServer server(https());
  RawHttpClient client(server.port());
  client.send(request_text("GET", "/things/a"));
  const RawResponse response = client.receive();
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("use https://"), std::string::npos) << response.body;
  EXPECT_EQ(server.calls, 0);
  const Error told = refusal("http://127.0.0.1:" + std::to_string(server.port()), {});
  EXPECT_NE(told.message.find("use https://"), std::string::npos) << told.message;
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

TEST_F(TlsTest, WhatOurClientRefusesItExplains) {
  const TestServer server(https());
  const Error unknown = refusal(url(server), {});
  EXPECT_EQ(unknown.code, ErrorCode::permission_denied);
  EXPECT_NE(unknown.message.find("HONE_CA_FILE"), std::string::npos) << unknown.message;

  const Error name = refusal(url(server, "localhost"), {.ca = ca_.certificate()});
  EXPECT_EQ(name.code, ErrorCode::permission_denied);
  EXPECT_NE(name.message.find("another name"), std::string::npos) << name.message;

  const TestServer plain;
  const Error no_tls = refusal(url(plain), {.ca = ca_.certificate()});
  EXPECT_EQ(no_tls.code, ErrorCode::invalid_argument);
  EXPECT_NE(no_tls.message.find("use http://"), std::string::npos) << no_tls.message;

  const CertificateFiles late = ca_.sign("late", "127.0.0.1", -1);
  identity_ = *TlsIdentity::load({late.certificate, late.key, {}});
  const Error expired = refusal(url(server), {.ca = ca_.certificate()});
  EXPECT_EQ(expired.code, ErrorCode::permission_denied);
  EXPECT_NE(expired.message.find("renew it"), std::string::npos) << expired.message;
}

TEST_F(TlsTest, BadFilesAreNamed) {
  const CertificateFiles ours = ca_.sign("ours", "client");
  const std::string ca = ca_.certificate();
  const struct {
    ClientTls tls;
    const char* told;
  } cases[] = {
      {{.ca = path("missing.pem")}, "missing.pem"},
      {{.ca = ours.key}, "ours.key"},
      {{.ca = ca, .certificate = ours.certificate}, "HONE_KEY_FILE"},
      {{.ca = ca, .certificate = ours.certificate, .key = path("server.key")}, "does not belong"},
      {{.ca = ca, .certificate = ours.key, .key = ours.key}, "ours.key"},
      {{.ca = ca, .certificate = ours.certificate, .key = ours.certificate}, "ours.pem"},
  };
  for (const auto& one : cases) {
    const Error error = refusal("https://127.0.0.1:1", one.tls);
    EXPECT_EQ(error.code, ErrorCode::invalid_argument) << one.told;
    EXPECT_NE(error.message.find(one.told), std::string::npos) << error.message;
  }
}

TEST_F(TlsTest, AWorkerMustShowACertificateWhereThatIsAsked) {
  HttpOptions options = https();
  options.require_worker_certificate = true;
  TestServer server(options);
  const std::string at = url(server);
  const ClientTls none{.ca = ca_.certificate()};
  const Error refused = refusal(at, none, kWorker);
  EXPECT_EQ(refused.code, ErrorCode::permission_denied);
  EXPECT_NE(refused.message.find("--cert"), std::string::npos) << refused.message;
  EXPECT_EQ(server.calls, 0);
  EXPECT_EQ(refusal(at, none, kViewer).message, "it was answered") << "others need none";

  const CertificateFiles ours = ca_.sign("worker", "worker-1");
  ClientTls shown{ca_.certificate(), ours.certificate, ours.key};
  EXPECT_EQ(refusal(at, shown, kWorker).message, "it was answered");

  // One that another CA signed is as good as a wrong one.
  const TestCa other(folder_.path(), "other");
  const CertificateFiles foreign = other.sign("foreign", "worker-1");
  shown.certificate = foreign.certificate;
  shown.key = foreign.key;
  server.calls = 0;
  const Error stranger = refusal(at, shown, kWorker);
  EXPECT_EQ(stranger.code, ErrorCode::permission_denied) << stranger.message;
  EXPECT_NE(stranger.message.find("HONE_CERT_FILE"), std::string::npos) << stranger.message;
  EXPECT_EQ(server.calls, 0);
}

TEST_F(TlsTest, ARenewedCertificateIsShownToNewConnections) {
  const TestServer server(https());
  RawTlsClient before(server.port());
  EXPECT_FALSE(identity_.look()) << "nothing changed yet";
  const TestCa other(folder_.path(), "other");
  other.sign("server", "127.0.0.1");
  EXPECT_TRUE(identity_.look());
  EXPECT_EQ(refusal(url(server), {.ca = ca_.certificate()}).code, ErrorCode::permission_denied);
  EXPECT_EQ(refusal(url(server), {.ca = other.certificate()}).message, "it was answered");
  before.send(request_text("GET", "/things/old"));
  EXPECT_NE(before.read_through("\"old\"").find("200 OK"), std::string::npos)
      << "a connection keeps what it began with";
}

TEST_F(TlsTest, ABadNewPairLeavesTheOldOneInUse) {
  const TestServer server(https());
  const auto serves = [&] {
    return refusal(url(server), {.ca = ca_.certificate()}).message == "it was answered";
  };
  const CertificateFiles next = ca_.sign("next", "127.0.0.1");
  std::filesystem::copy_file(next.certificate, path("server.pem"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(identity_.look()) << "its key is not there yet";
  EXPECT_TRUE(serves());
  EXPECT_FALSE(identity_.look()) << "that was told once";
  std::filesystem::copy_file(next.key, path("server.key"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(identity_.look());
  EXPECT_TRUE(serves());
  std::ofstream(path("server.pem")) << "no certificate";
  EXPECT_FALSE(identity_.look());
  EXPECT_FALSE(identity_.reload());
  std::filesystem::remove(path("server.pem"));
  EXPECT_FALSE(identity_.look());
  EXPECT_TRUE(serves());
}

TEST_F(TlsTest, AServerDoesNotStartWithABadPair) {
  const CertificateFiles other = ca_.sign("other", "127.0.0.1");
  const auto told = [](const ServerTlsFiles& files) {
    const Result<TlsIdentity> loaded = TlsIdentity::load(files);
    return loaded ? std::string("it was loaded") : loaded.error().message;
  };
  EXPECT_NE(told({path("server.pem"), other.key, {}}).find("does not belong"), std::string::npos);
  EXPECT_NE(told({path("missing.pem"), other.key, {}}).find("missing.pem"), std::string::npos);
  EXPECT_NE(told({other.certificate, other.key, path("nobody.pem")}).find("nobody.pem"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
