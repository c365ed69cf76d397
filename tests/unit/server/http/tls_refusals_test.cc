// HTTPS that is refused, by the server or by our client, and what is said of it.
#include <openssl/ssl.h>

#include "tests/unit/server/http/raw_tls_client.h"
#include "tests/unit/server/http/tls_test.h"

namespace hone {
namespace {

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

}  // namespace
}  // namespace hone
