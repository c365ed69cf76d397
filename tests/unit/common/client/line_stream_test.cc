#include "common/client/line_stream.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

Client client_of(const ScriptedHttpServer& server, int retries = 2) {
  ClientOptions options;
  options.url = server.url();
  options.retries = retries;
  options.first_pause = std::chrono::milliseconds(1);
  return *Client::create(std::move(options));
}

std::string line(int number) {
  return R"({"cursor":"3-)" + std::to_string(number) + R"(","id":)" + std::to_string(number) +
         "}\n";
}

std::string chunked(const std::string& body, bool whole = true) {
  static constexpr const char* kHead =
      "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", body.size());
  return kHead + (body.empty() ? "" : size + body + "\r\n") + (whole ? "0\r\n\r\n" : "");
}

class LineStream : public ::testing::Test {
 protected:
  Result<void> read(const ScriptedHttpServer& server, int retries = 2) {
    return read_lines(client_of(server, retries), "/v1/lines", "3-0",
                      [this](std::string_view lines, const std::string& cursor) {
                        text += lines;
                        last = cursor;
                        return Result<bool>(!enough);
                      });
  }
  std::string text;
  std::string last;
  bool enough = false;
};

TEST_F(LineStream, EndsWithTheServersEnd) {
  const ScriptedHttpServer server({{chunked(line(1) + line(2))}});
  ASSERT_TRUE(read(server));
  EXPECT_EQ(text, line(1) + line(2));
  EXPECT_EQ(last, "3-2");
  EXPECT_TRUE(server.requests().at(0).starts_with("GET /v1/lines?after=3-0 HTTP/1.1"));
  const ScriptedHttpServer empty({{chunked("")}});
  ASSERT_TRUE(read(empty));
  EXPECT_EQ(last, "3-2") << "nothing came, nothing was given";
}

TEST_F(LineStream, GoesOnBehindTheLastWholeLine) {
  const ScriptedHttpServer server({{chunked(line(1) + line(2) + R"({"cursor":"3-3","i)", false)},
                                   {chunked(line(3) + line(4), false)},
                                   {chunked("", false)},
                                   {chunked(line(5))}});
  const Result<void> done = read(server);
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(text, line(1) + line(2) + line(3) + line(4) + line(5));
  EXPECT_TRUE(server.requests().at(1).starts_with("GET /v1/lines?after=3-2 HTTP/1.1"));
  EXPECT_TRUE(server.requests().at(2).starts_with("GET /v1/lines?after=3-4 HTTP/1.1"));
  EXPECT_TRUE(server.requests().at(3).starts_with("GET /v1/lines?after=3-4 HTTP/1.1"));
}

TEST_F(LineStream, GivesUpWhenNothingComes) {
  const ScriptedHttpServer server(
      {{chunked(line(1), false)}, {chunked("", false)}, {chunked("", false)}, {chunked(line(2))}});
  const Result<void> done = read(server);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::unavailable);
  EXPECT_EQ(text, line(1));
}

TEST_F(LineStream, EndsWhenTheSinkHasEnough) {
  enough = true;
  std::string lines;
  for (int i = 1; i < 200'000; ++i) {
    lines += line(i);
  }
  const ScriptedHttpServer server({{chunked(lines)}});
  ASSERT_TRUE(read(server));
  EXPECT_LT(text.size(), lines.size());
  EXPECT_TRUE(text.ends_with("}\n"));
}

TEST_F(LineStream, RefusesLinesWithoutCursors) {
  const ScriptedHttpServer server({{chunked("{\"id\":1}\n")}});
  EXPECT_EQ(read(server).error().code, ErrorCode::invalid_argument);
  const ScriptedHttpServer denied({{http_response(
      "403 Forbidden", R"({"code":"permission_denied","detail":"the role worker may not"})")}});
  EXPECT_EQ(read(denied).error().code, ErrorCode::permission_denied);
}

}  // namespace
}  // namespace hone
