// TlsIdentity as a server wears it: renewed while it runs, kept where the new pair is bad.
#include <filesystem>
#include <fstream>

#include "tests/unit/server/http/raw_tls_client.h"
#include "tests/unit/server/http/tls_test.h"

namespace hone {
namespace {

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
  std::ofstream(path("garbage.pem")) << "no certificate";
  std::ofstream(path("locked.key")) << "-----BEGIN ENCRYPTED PRIVATE KEY-----\n";
  for (const ServerTlsFiles& files :
       {ServerTlsFiles{path("garbage.pem"), other.key, {}},
        ServerTlsFiles{other.certificate, path("garbage.pem"), {}},
        ServerTlsFiles{other.certificate, other.key, path("garbage.pem")}}) {
    const std::string said = told(files);
    EXPECT_NE(said.find("garbage.pem cannot be used: it holds no line -----BEGIN "),
              std::string::npos)
        << said;
  }
  EXPECT_NE(told({other.certificate, path("locked.key"), {}}).find("passphrase"),
            std::string::npos);
  EXPECT_NE(told({path("missing.pem"), other.key, {}}).find("missing.pem"), std::string::npos);
  EXPECT_NE(told({other.certificate, other.key, path("nobody.pem")}).find("nobody.pem"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
