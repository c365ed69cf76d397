// A bucket behind a server that plays a script: what we send, and what we make of its answers.
// tests/integration/s3.sh has a whole S3-compatible server.
#include "server/store/artifacts/s3_artifacts.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "common/base/log.h"
#include "common/base/sha256.h"
#include "tests/support/database.h"
#include "tests/support/scripted_http_server.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& status, const std::string& code) {
  return http_response(
      status,
      "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>said so</Message></Error>",
      "Date: Sun, 29 Nov 2026 08:00:00 GMT\r\n");
}
std::string head(std::size_t size) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}
const std::string kDone = http_response("200 OK", "", "ETag: \"0123\"\r\n");
const std::string kMissing = http_response("404 Not Found", "");

class S3ArtifactsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::off);
    ::setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE", 1);
    ::setenv("AWS_SECRET_ACCESS_KEY", "SECRETEXAMPLE", 1);
    ::setenv("no_proxy", "*", 1);
  }
  void TearDown() override {
    store.reset();
    context.restart();
    context.poll();
    set_log_level(LogLevel::info);
  }
  void play(std::vector<ScriptedAnswer> script) {
    store.reset();
    server = std::make_unique<ScriptedHttpServer>(std::move(script));
    options.s3.location =
        *parse_s3_url("s3://bucket/hone?region=eu-west-1&path_style=1&endpoint=" + server->url());
    options.s3.first_pause = std::chrono::milliseconds(1);
    options.copies = temporary.path() / "copies";
    store = *S3Artifacts::open(options);
  }
  fs::path write(const std::string& content) {
    const fs::path path = temporary.path() / "file";
    std::ofstream(path) << content;
    return path;
  }
  Result<void> keep(const std::string& content) {
    return run_on(context, store->keep(sha256_hex(content), write(content)));
  }
  Result<std::string> read(const std::string& hash) {
    HONE_TRY(const ArtifactContent content, run_on(context, store->read(hash)));
    std::string all;
    for (;;) {
      HONE_TRY(const std::string piece, run_on(context, content.next()));
      if (piece.empty()) {
        return all;
      }
      all += piece;
    }
  }
  static std::string key_of(const std::string& hash) {
    return "/bucket/hone/" + artifact_key(hash);
  }

  TemporaryFolder temporary = passable_folder();
  boost::asio::io_context context;
  S3ArtifactsOptions options;
  std::unique_ptr<ScriptedHttpServer> server;
  std::unique_ptr<S3Artifacts> store;
};

TEST_F(S3ArtifactsTest, KeepsByASignedPut) {
  const std::string content(100'000, 'k');
  const std::string hash = sha256_hex(content);
  play({{kDone}, {head(content.size())}});
  const Result<void> kept = keep(content);
  ASSERT_TRUE(kept) << kept.error().describe();
  EXPECT_FALSE(fs::exists(temporary.path() / "file"));
  const std::string put = server->requests().at(0);
  EXPECT_TRUE(put.starts_with("PUT " + key_of(hash) + " HTTP/1.1\r\n")) << put.substr(0, 300);
  EXPECT_TRUE(put.ends_with("\r\n\r\n" + content));
  EXPECT_NE(put.find("x-amz-content-sha256: " + hash), std::string::npos) << put.substr(0, 900);
  EXPECT_NE(put.find("/eu-west-1/s3/aws4_request"), std::string::npos);
  EXPECT_NE(put.find("Credential=AKIDEXAMPLE/"), std::string::npos);
  EXPECT_EQ(put.find("SECRETEXAMPLE"), std::string::npos);
}

TEST_F(S3ArtifactsTest, LargeOnesAreSentInParts) {
  options.multipart_bytes = 1000;
  options.part_bytes = 40'000;
  const std::string content(100'000, 'm');
  const std::string hash = sha256_hex(content);
  play({{http_response("200 OK", "<R><UploadId>a+b/c=</UploadId></R>")},
        {http_response("200 OK", "", "ETag: \"one\"\r\n")},
        {refusal("500 Internal Server Error", "InternalError")},
        {http_response("200 OK", "", "ETag: \"two\"\r\n")},
        {http_response("200 OK", "", "ETag: \"three\"\r\n")},
        {http_response("200 OK", "<CompleteMultipartUploadResult/>")},
        {head(content.size())}});
  const Result<void> kept = keep(content);
  ASSERT_TRUE(kept) << kept.error().describe();
  const std::vector<std::string> requests = server->requests();
  EXPECT_TRUE(requests[0].starts_with("POST " + key_of(hash) + "?uploads= HTTP"));
  EXPECT_TRUE(
      requests[1].starts_with("PUT " + key_of(hash) + "?partNumber=1&uploadId=a%2Bb%2Fc%3D HTTP"));
  EXPECT_TRUE(requests[3].starts_with("PUT " + key_of(hash) + "?partNumber=2&"));
  EXPECT_TRUE(requests[4].ends_with("\r\n\r\n" + std::string(20'000, 'm')));
  EXPECT_NE(requests[5].find("<Part><PartNumber>3</PartNumber><ETag>\"three\"</ETag></Part>"),
            std::string::npos);
}

TEST_F(S3ArtifactsTest, PartsOfAFailureAreGivenUp) {
  options.multipart_bytes = 1000;
  options.part_bytes = 60'000;
  const std::string content(100'000, 'm');
  play({{http_response("200 OK", "<R><UploadId>id</UploadId></R>")},
        {kDone},
        {kDone},
        {http_response("200 OK", "<Error><Code>InternalError</Code></Error>")},
        {http_response("204 No Content", "")}});
  EXPECT_EQ(keep(content).error().code, ErrorCode::unavailable);
  EXPECT_TRUE(server->requests().at(4).starts_with("DELETE "));
  EXPECT_TRUE(fs::exists(temporary.path() / "file"));
}

TEST_F(S3ArtifactsTest, HalfAFileIsNotTakenForAWholeOne) {
  play({{kDone}, {head(99)}});
  const Result<void> kept = keep(std::string(100, 'h'));
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::unavailable);
}

TEST_F(S3ArtifactsTest, ReadsInRanges) {
  options.range_bytes = 1000;
  const std::string content = std::string(1000, 'a') + std::string(500, 'b');
  const std::string hash = sha256_hex(content);
  play({{head(content.size())},
        {http_response("206 Partial Content", content.substr(0, 1000))},
        {http_response("206 Partial Content", content.substr(1000))}});
  const Result<std::string> got = read(hash);
  ASSERT_TRUE(got) << got.error().describe();
  EXPECT_EQ(*got, content);
  EXPECT_NE(server->requests().at(1).find("range: bytes=0-999"), std::string::npos);
  EXPECT_NE(server->requests().at(2).find("range: bytes=1000-1499"), std::string::npos);
}

TEST_F(S3ArtifactsTest, ACutRangeIsAskedForAgain) {
  const std::string content(1500, 'c');
  play({{head(content.size())},
        {"HTTP/1.1 206 Partial Content\r\nContent-Length: 1500\r\n\r\nccc"},
        {""},
        {http_response("206 Partial Content", "ccc")},  // whole, but not what was asked for
        {http_response("206 Partial Content", content)}});
  const Result<std::string> got = read(sha256_hex(content));
  ASSERT_TRUE(got) << got.error().describe();
  EXPECT_EQ(*got, content);
}

TEST_F(S3ArtifactsTest, AServiceOutOfOrderIsTriedAgain) {
  play({{refusal("500 Internal Server Error", "InternalError")},
        {refusal("503 Slow Down", "SlowDown")},
        {""},
        {kDone},
        {head(3)}});
  EXPECT_TRUE(keep("abc"));
  EXPECT_EQ(server->requests().size(), 5U);
}

TEST_F(S3ArtifactsTest, TriesEnd) {
  options.s3.tries = 3;
  play({{refusal("503 Slow Down", "SlowDown")},
        {refusal("503 Slow Down", "SlowDown")},
        {refusal("503 Slow Down", "SlowDown")}});
  const Error error = keep("abc").error();
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.message.find("SlowDown"), std::string::npos) << error.message;
  EXPECT_EQ(server->requests().size(), 3U);
}

TEST_F(S3ArtifactsTest, ASilentServiceIsTimedOut) {
  options.s3.tries = 1;
  options.s3.silence = std::chrono::seconds(1);
  play({{kDone, std::chrono::seconds(60)}});
  const Error error = keep("abc").error();
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.message.find("cannot talk to"), std::string::npos) << error.message;
}

TEST_F(S3ArtifactsTest, RefusalsSayWhatToMend) {
  for (const auto& [status, code, words] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"404 Not Found", "NoSuchBucket", "bucket does not exist"},
           {"403 Forbidden", "AccessDenied", "access denied"},
           {"403 Forbidden", "RequestTimeTooSkewed", "clock"},
           {"403 Forbidden", "SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY"},
           {"301 Moved Permanently", "PermanentRedirect", "region"},
           {"400 Bad Request", "AuthorizationHeaderMalformed", "region"}}) {
    play({{refusal(status, code)}});
    const Result<void> checked = run_on(context, store->check());
    ASSERT_FALSE(checked) << code;
    EXPECT_EQ(checked.error().code, ErrorCode::unavailable);
    EXPECT_NE(checked.error().message.find(words), std::string::npos) << checked.error().message;
    EXPECT_EQ(checked.error().message.find("SECRETEXAMPLE"), std::string::npos);
    EXPECT_EQ(server->requests().size(), 1U) << code << " was tried again";
  }
  play({{refusal("507 Insufficient Storage", "XMinioStorageFull")}});
  EXPECT_EQ(keep("abc").error().code, ErrorCode::disk_full);
}

TEST_F(S3ArtifactsTest, ChecksAtTheStart) {
  play({{refusal("404 Not Found", "NoSuchKey")}});
  EXPECT_TRUE(run_on(context, store->check()));
  options.s3.tries = 2;
  play({{""}, {""}});
  EXPECT_TRUE(run_on(context, store->check())) << "it may come back";
}

TEST_F(S3ArtifactsTest, TellsWhatIsNotThere) {
  play({{kMissing}, {kMissing}, {kMissing}, {http_response("204 No Content", "")}});
  const std::string hash = sha256_hex("x");
  EXPECT_FALSE(*run_on(context, store->holds(hash)));
  EXPECT_EQ(run_on(context, store->read(hash)).error().code, ErrorCode::not_found);
  EXPECT_EQ(run_on(context, store->local_file(hash)).error().code, ErrorCode::not_found);
  EXPECT_TRUE(run_on(context, store->remove(hash, std::chrono::steady_clock::time_point::max())));
}

TEST_F(S3ArtifactsTest, NothingIsRemovedTooLate) {
  const std::string hash = sha256_hex("x");
  const std::string removed = http_response("204 No Content", "");
  play({{removed}});
  const Result<void> late = run_on(context, store->remove(hash, std::chrono::steady_clock::now()));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(server->requests().empty()) << "by then it may be a new one";
  // One whose answer does not come in time is given up, and not tried again.
  play({{removed, std::chrono::milliseconds(1'000)}, {removed}});
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  EXPECT_FALSE(run_on(context, store->remove(hash, until)));
  EXPECT_GE(std::chrono::steady_clock::now(), until);
  EXPECT_LE(server->requests().size(), 1U);
}

TEST_F(S3ArtifactsTest, CopiesForPathsAreCheckedAndBounded) {
  options.copies_bytes = 15;
  play({{head(10)},
        {http_response("206 Partial Content", "0123456789")},
        {head(10)},
        {http_response("206 Partial Content", "abcdefghij")},
        {head(3)},
        {http_response("206 Partial Content", "odd")}});
  const std::string first = sha256_hex("0123456789");
  const Result<fs::path> copy = run_on(context, store->local_file(first));
  ASSERT_TRUE(copy) << copy.error().describe();
  EXPECT_EQ(*read_file(*copy, 100), "0123456789");
  EXPECT_EQ(*run_on(context, store->local_file(first)), *copy);  // not asked for again
  EXPECT_EQ(server->requests().size(), 2U);
  ASSERT_TRUE(run_on(context, store->local_file(sha256_hex("abcdefghij"))));
  EXPECT_FALSE(fs::exists(*copy));
  const Error error = run_on(context, store->local_file(sha256_hex("even"))).error();
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.message.find("another content"), std::string::npos) << error.message;
}

TEST_F(S3ArtifactsTest, WithoutCredentialsNothingIsAsked) {
  ::unsetenv("AWS_ACCESS_KEY_ID");
  ::setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1);
  play({});
  const Error error = keep("abc").error();
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.message.find("no S3 credentials"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace hone::test
