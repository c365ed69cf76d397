#include "common/client/client_options.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

class ClientOptionsTest : public testing::Test {
 protected:
  ClientOptionsTest() : folder_(*TemporaryFolder::create("client")) {
    set("XDG_CONFIG_HOME", (folder_.path() / "config").string());
    set("XDG_DATA_HOME", (folder_.path() / "data").string());
    set("HOME", folder_.path().string());
    set("HONE_URL", "");
    set("HONE_TOKEN_FILE", "");
    set("HONE_CA_FILE", "");
    set("HONE_CERT_FILE", "");
    set("HONE_KEY_FILE", "");
  }
  ~ClientOptionsTest() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }

  void set(const std::string& name, const std::string& value) {
    const char* old = std::getenv(name.c_str());
    before_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    setenv(name.c_str(), value.c_str(), 1);
  }

  std::string write(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path.string();
  }

  TemporaryFolder folder_;
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST_F(ClientOptionsTest, TokenFileIsTrimmed) {
  const Result<std::string> token = read_token_file(write("t", "hone_abc123\n"));
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(*token, "hone_abc123");
}

TEST_F(ClientOptionsTest, TokenFileOpenToOthersIsRefused) {
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0660, 0777}) {
    const Result<std::string> token = read_token_file(write("t", "hone_secret", mode));
    ASSERT_FALSE(token.has_value()) << mode;
    EXPECT_EQ(token.error().code, ErrorCode::permission_denied);
    EXPECT_EQ(token.error().message.find("hone_secret"), std::string::npos);
    EXPECT_NE(token.error().message.find("chmod 600"), std::string::npos);
  }
}

TEST_F(ClientOptionsTest, WhatIsNoTokenIsRefusedWithoutShowingIt) {
  EXPECT_EQ(read_token_file(folder_.path() / "missing").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_token_file(folder_.path()).error().code, ErrorCode::invalid_argument);
  for (const std::string& text :
       {std::string(), std::string(" \n"), std::string("a\r\nX-Evil: 1"), std::string(5000, 'a')}) {
    const Result<std::string> token = read_token_file(write("t", text));
    ASSERT_FALSE(token.has_value());
    EXPECT_EQ(token.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(token.error().message.find("X-Evil"), std::string::npos);
  }
}

TEST_F(ClientOptionsTest, DefaultsWithoutAnything) {
  const Result<ClientOptions> options = resolve_client_options();
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->url, "http://127.0.0.1:7077");
}

TEST_F(ClientOptionsTest, FlagBeatsEnvironmentBeatsFile) {
  const std::string file_token = write("file.token", "from-file");
  write("config/hone/client.json",
        R"({"url":"http://file:1","ca_file":"/file/ca.pem","cert_file":"/file/c.pem",)"
        R"("key_file":"/file/c.key","token_file":")" +
            file_token + R"("})",
        0644);
  Result<ClientOptions> options = resolve_client_options();
  ASSERT_TRUE(options.has_value()) << options.error().describe();
  EXPECT_EQ(options->url, "http://file:1");
  EXPECT_EQ(options->token, "from-file");
  EXPECT_EQ(options->tls.ca, "/file/ca.pem");
  EXPECT_EQ(options->tls.certificate, "/file/c.pem");
  EXPECT_EQ(options->tls.key, "/file/c.key");

  set("HONE_URL", "http://environment:2");
  set("HONE_CA_FILE", "/environment/ca.pem");
  set("HONE_TOKEN_FILE", write("environment.token", "from-environment"));
  options = resolve_client_options();
  EXPECT_EQ(options->url, "http://environment:2");
  EXPECT_EQ(options->token, "from-environment");
  EXPECT_EQ(options->tls.ca, "/environment/ca.pem");

  options = resolve_client_options(
      {.url = "http://flag:3", .token_file = write("flag.token", "from-flag")});
  EXPECT_EQ(options->url, "http://flag:3");
  EXPECT_EQ(options->token, "from-flag");
  EXPECT_EQ(resolve_client_options({.ca = "/flag/ca.pem"})->tls.ca, "/flag/ca.pem");
}

TEST_F(ClientOptionsTest, AFoundTokenIsForItsOwnHonedAlone) {
  // Root looks in /var/lib/hone, where a honed of this machine's may be.
  if (default_data_folder() != folder_.path() / "data/hone") {
    GTEST_SKIP() << "data is kept in " << default_data_folder();
  }
  write("data/hone/admin.token", "hone_found");
  EXPECT_EQ(resolve_client_options()->token, "") << "nobody says where that honed listens";
  write("data/hone/honed.address", "127.0.0.1:7077\n", 0644);
  EXPECT_EQ(resolve_client_options()->token, "hone_found");
  EXPECT_NE(resolve_client_options()->token_note.find("admin.token"), std::string::npos);
  for (const char* url : {"http://localhost:7077", "http://127.0.0.1:7077/prefix",
                          "https://127.0.0.1:7077,http://localhost:7077"}) {
    EXPECT_EQ(resolve_client_options({.url = url})->token, "hone_found") << url;
  }
  for (const char* url : {"http://hone.example:7077", "http://127.0.0.1:7078",
                          "http://127.0.0.1:7077,http://10.0.0.1:7077", "http://127.0.0.2:7077"}) {
    const Result<ClientOptions> options = resolve_client_options({.url = url});
    EXPECT_EQ(options->token, "") << url;
    EXPECT_NE(options->token_note.find("admin.token"), std::string::npos) << url;
  }
  write("data/hone/honed.address", "0.0.0.0:7077\n", 0644);
  EXPECT_EQ(resolve_client_options()->token, "hone_found");
  EXPECT_EQ(resolve_client_options({.url = "http://10.0.0.1:7077"})->token, "");
}

TEST_F(ClientOptionsTest, TellsWhichFilesHoldItsSecrets) {
  using Paths = std::vector<std::filesystem::path>;
  const std::string token = write("file.token", "from-file");
  const std::string config =
      write("config/hone/client.json",
            R"({"ca_file":"/file/ca.pem","cert_file":"/file/c.pem","key_file":"/file/c.key",)"
            R"("token_file":")" +
                token + R"("})");
  EXPECT_EQ(resolve_client_options()->secrets, (Paths{config, "/file/c.key", token}));
  set("HONE_TOKEN_FILE", write("environment.token", "from-environment"));
  EXPECT_EQ(resolve_client_options({.key = "/flag/c.key"})->secrets,
            (Paths{config, "/flag/c.key", folder_.path() / "environment.token"}));
}

TEST_F(ClientOptionsTest, NamedTokenFileMustBeReadable) {
  const Result<ClientOptions> options =
      resolve_client_options({.token_file = (folder_.path() / "missing").string()});
  ASSERT_FALSE(options.has_value());
  EXPECT_EQ(options.error().code, ErrorCode::not_found);
}

TEST_F(ClientOptionsTest, BadConfigurationFileIsNamed) {
  write("config/hone/client.json", R"({"ulr":"http://x"})");
  const Result<ClientOptions> options = resolve_client_options();
  ASSERT_FALSE(options.has_value());
  EXPECT_NE(options.error().message.find("client.json"), std::string::npos);
  ASSERT_EQ(options.error().fields.size(), 1U);
  EXPECT_EQ(options.error().fields[0].pointer, "/ulr");
}

}  // namespace
}  // namespace hone
