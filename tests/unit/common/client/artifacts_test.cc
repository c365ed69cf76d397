// Artifacts of the client: uploads and downloads.
#include <fstream>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/client/client.h"
#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

class ArtifactsTest : public testing::Test {
 protected:
  ArtifactsTest() : folder_(*TemporaryFolder::create("artifacts")) {}

  static Client client_of(const ScriptedHttpServer& server) {
    ClientOptions options;
    options.url = server.url();
    options.retries = 0;
    return *Client::create(std::move(options));
  }
  std::string write(const std::string& content) {
    const std::filesystem::path path = folder_.path() / "file";
    std::ofstream(path) << content;
    return path.string();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()),
                      std::filesystem::directory_iterator()));
  }

  TemporaryFolder folder_;
  const std::string content_ = std::string(300'000, 'c');
  const std::string sha256_ = sha256_hex(content_);
};

const std::string kMissing = "HTTP/1.1 404 Not Found\r\n\r\n";

TEST_F(ArtifactsTest, UploadSendsTheFile) {
  const ScriptedHttpServer server({{kMissing}, {http_response("201 Created", "{}")}});
  const Result<void> sent = client_of(server).upload_file(write(content_), sha256_);
  ASSERT_TRUE(sent.has_value()) << sent.error().describe();
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_TRUE(server.requests()[0].starts_with("HEAD /v1/artifacts/" + sha256_));
  EXPECT_TRUE(server.requests()[1].starts_with("PUT /v1/artifacts/" + sha256_));
  EXPECT_TRUE(server.requests()[1].ends_with("\r\n\r\n" + content_));
  EXPECT_NE(server.requests()[1].find("Content-Type: application/octet-stream"), std::string::npos);
}

TEST_F(ArtifactsTest, KnownArtifactIsNotSentAgain) {
  const ScriptedHttpServer server({{"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n"}});
  EXPECT_TRUE(client_of(server).upload_file(write(content_), sha256_).has_value());
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(ArtifactsTest, RefusalThatComesBeforeTheWholeBodyIsHeard) {
  const std::string large(30'000'000, 'l');
  const ScriptedHttpServer server(
      {{kMissing},
       {http_response("413 Content Too Large", R"({"code":"too_large","detail":"over 2 GiB"})"),
        std::chrono::milliseconds(0), true, std::chrono::milliseconds(300)}});
  const Result<void> sent = client_of(server).upload_file(write(large), sha256_);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, ErrorCode::too_large) << sent.error().message;
}

TEST_F(ArtifactsTest, MissingFileIsTold) {
  const ScriptedHttpServer server({{kMissing}, {""}});
  const Result<void> sent = client_of(server).upload_file(folder_.path() / "none", sha256_);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, ErrorCode::io_failed);
}

// Large files: 20 MB are two pieces.
const std::string kBegun =
    http_response("201 Created", R"({"id":"0b5d","offset":0,"complete":false})");
std::string moved(std::size_t offset) {
  return "HTTP/1.1 204 No Content\r\nUpload-Offset: " + std::to_string(offset) + "\r\n\r\n";
}
std::string there(std::size_t offset) {
  return "HTTP/1.1 200 OK\r\nUpload-Offset: " + std::to_string(offset) +
         "\r\nContent-Length: 9\r\n\r\n";
}

TEST_F(ArtifactsTest, LargeFileGoesInPieces) {
  const std::string large(20'000'000, 'l');
  const ScriptedHttpServer server(
      {{kMissing}, {kBegun}, {moved(16'777'216)}, {http_response("201 Created", "{}")}});
  const Result<void> sent = client_of(server).upload_file(write(large), sha256_);
  ASSERT_TRUE(sent.has_value()) << sent.error().describe();
  const std::vector<std::string> requests = server.requests();
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_TRUE(requests[1].starts_with("POST /v1/artifacts/" + sha256_ + "/upload"));
  EXPECT_TRUE(requests[1].ends_with(R"({"size_bytes":20000000})"));
  EXPECT_TRUE(requests[2].starts_with("PATCH /v1/uploads/0b5d"));
  EXPECT_NE(requests[2].find("Upload-Offset: 0\r\n"), std::string::npos);
  EXPECT_NE(requests[3].find("Upload-Offset: 16777216\r\n"), std::string::npos);
  EXPECT_TRUE(requests[3].ends_with("\r\n\r\n" + std::string(20'000'000 - 16'777'216, 'l')));
}

TEST_F(ArtifactsTest, LargeFileGoesOnAfterALostConnection) {
  const std::string large(20'000'000, 'l');
  const ScriptedHttpServer server({{kMissing},
                                   {kBegun},
                                   {""},
                                   {there(5'000'000)},
                                   {http_response("409 Conflict", R"({"code":"conflict"})")},
                                   {there(6'000'000)},
                                   {http_response("201 Created", "{}")}});
  ClientOptions options;
  options.url = server.url();
  options.retries = 2;
  options.first_pause = std::chrono::milliseconds(1);
  const Result<void> sent = Client::create(options)->upload_file(write(large), sha256_);
  ASSERT_TRUE(sent.has_value()) << sent.error().describe();
  const std::vector<std::string> requests = server.requests();
  EXPECT_NE(requests[4].find("Upload-Offset: 5000000\r\n"), std::string::npos);
  EXPECT_NE(requests[6].find("Upload-Offset: 6000000\r\n"), std::string::npos);
  EXPECT_TRUE(requests[6].ends_with("\r\n\r\n" + std::string(14'000'000, 'l')));
}

TEST_F(ArtifactsTest, LargeFileWhoseLastAnswerWasLostIsThere) {
  const std::string large(17'000'000, 'l');
  const ScriptedHttpServer server({{kMissing},
                                   {kBegun},
                                   {moved(16'777'216)},
                                   {""},
                                   {http_response("404 Not Found", "")},
                                   {"HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\n\r\n"}});
  ClientOptions options;
  options.url = server.url();
  options.retries = 1;
  options.first_pause = std::chrono::milliseconds(1);
  const Result<void> sent = Client::create(options)->upload_file(write(large), sha256_);
  EXPECT_TRUE(sent.has_value()) << sent.error().describe();
}

TEST_F(ArtifactsTest, LargeFileThatIsRefusedIsNotTriedAgain) {
  const std::string large(17'000'000, 'l');
  const ScriptedHttpServer server(
      {{kMissing},
       {http_response("507 Insufficient Storage", R"({"code":"disk_full","detail":"no room"})")}});
  const Result<void> sent = client_of(server).upload_file(write(large), sha256_);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, ErrorCode::disk_full);
}

TEST_F(ArtifactsTest, DownloadWritesTheFile) {
  const ScriptedHttpServer server({{http_response("200 OK", content_)}});
  const std::filesystem::path path = folder_.path() / "out";
  const Result<void> got = client_of(server).download_file(sha256_, path, 1'000'000);
  ASSERT_TRUE(got.has_value()) << got.error().describe();
  EXPECT_EQ(*read_file(path, 1'000'000), content_);
  EXPECT_EQ(files(), 1U);
}

TEST_F(ArtifactsTest, FailedDownloadLeavesNothing) {
  const std::filesystem::path path = folder_.path() / "out";
  const ScriptedHttpServer other({{http_response("200 OK", content_ + "x")}});
  EXPECT_EQ(client_of(other).download_file(sha256_, path, 1'000'000).error().code,
            ErrorCode::unavailable);
  const ScriptedHttpServer large({{http_response("200 OK", content_)}});
  EXPECT_EQ(client_of(large).download_file(sha256_, path, 1000).error().code, ErrorCode::too_large);
  const ScriptedHttpServer cut({{"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\nccc"}});
  EXPECT_EQ(client_of(cut).download_file(sha256_, path, 1'000'000).error().code,
            ErrorCode::unavailable);
  const ScriptedHttpServer none({{http_response("404 Not Found", R"({"code":"not_found"})")}});
  EXPECT_EQ(client_of(none).download_file(sha256_, path, 1'000'000).error().code,
            ErrorCode::not_found);
  EXPECT_EQ(files(), 0U);
}

TEST_F(ArtifactsTest, WhatIsNoHashIsRefused) {
  const ScriptedHttpServer server({});
  EXPECT_EQ(client_of(server).upload_file(write("x"), "../x").error().code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(client_of(server).download_file("ABC", folder_.path() / "o", 10).error().code,
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
