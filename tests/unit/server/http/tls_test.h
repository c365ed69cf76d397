// What it takes to speak HTTPS with a TestServer: a CA, a server's identity and clients that trust
// it.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/client/client.h"
#include "server/http/tls_identity.h"
#include "tests/support/certificates.h"
#include "tests/unit/server/http/test_server.h"

namespace hone {

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

}  // namespace hone
