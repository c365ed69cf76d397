// A stream of lines as a reply: its pages, its limits, its ends.
#include "server/api/line_reply.h"

#include <algorithm>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "tests/support/database.h"

namespace hone::test {
namespace {

class LineReply : public ::testing::Test, protected PieceWriter {
 protected:
  // So many lines of so many bytes each, from 1 on; the one `fails_at` cannot be read.
  Async<LinePage> read(LineRequest wanted) {
    asked.push_back(wanted);
    reading = true;
    boost::asio::steady_timer timer(context, std::chrono::milliseconds(1));
    co_await timer.async_wait(boost::asio::use_awaitable);
    reading = false;
    LinePage page;
    page.next_cursor = wanted.after;
    std::int64_t number = wanted.after.empty() ? 0 : std::stoll(wanted.after);
    while (number < lines && page.count < wanted.rows &&
           static_cast<std::int64_t>(page.lines.size()) < wanted.bytes) {
      if (++number == fails_at) {
        co_return fail(ErrorCode::timed_out, "too slow");
      }
      page.lines += std::string(line_bytes - 1, 'x') + "\n";
      page.next_cursor = std::to_string(number);
      ++page.count;
    }
    co_return page;
  }

  boost::asio::awaitable<bool> piece(std::string bytes) override {
    boost::asio::steady_timer timer(context, std::chrono::microseconds(100));
    co_await timer.async_wait(boost::asio::use_awaitable);
    read_while_written = read_while_written || reading;
    largest = std::max(largest, bytes.size());
    written += static_cast<std::int64_t>(std::ranges::count(bytes, '\n'));
    co_return pieces_taken-- > 0;
  }

  Result<Reply> ask(std::vector<NamedValue> query = {}) {
    Request request;
    request.query = std::move(query);
    request.caller.token_id = token;
    return run_on(context, line_reply(streams, request, [this](LineRequest wanted) {
                    return read(std::move(wanted));
                  }));
  }
  bool run(const Result<Reply>& reply) {
    EXPECT_TRUE(reply) << reply.error().describe();
    return run_on(context, reply->pieces(*this));
  }

  boost::asio::io_context context;
  LineStreams streams;
  std::string token = "a";
  std::int64_t lines = 10'000;
  std::size_t line_bytes = 1000;
  std::int64_t fails_at = -1;
  int pieces_taken = 1'000'000;
  std::vector<LineRequest> asked;
  std::int64_t written = 0;
  std::size_t largest = 0;
  bool reading = false;
  bool read_while_written = false;
};

TEST_F(LineReply, GivesAllInPagesOfAboutTwoMebibytes) {
  const Result<Reply> reply = ask({{"after", "1000"}});
  EXPECT_EQ(reply->content_type, "application/x-ndjson");
  EXPECT_TRUE(run(reply));
  EXPECT_EQ(written, 9'000);
  EXPECT_EQ(asked.at(0).after, "1000");
  EXPECT_LT(asked.at(0).rows, 1000) << "nobody knows yet how long lines are";
  EXPECT_NEAR(static_cast<double>(asked.at(1).rows), 2097, 5);
  EXPECT_LE(largest, (std::size_t{2} << 20U) + line_bytes);
  EXPECT_TRUE(read_while_written);
}

TEST_F(LineReply, NoMoreThanTheLimit) {
  EXPECT_TRUE(run(ask({{"limit", "3000"}})));
  EXPECT_EQ(written, 3000);
  written = 0;
  EXPECT_TRUE(run(ask({{"limit", "1"}})));
  EXPECT_EQ(written, 1);
}

TEST_F(LineReply, NothingIsAnEmptyBody) {
  lines = 0;
  EXPECT_TRUE(run(ask()));
  EXPECT_EQ(written, 0);
}

TEST_F(LineReply, WhatFailsAtFirstIsAnErrorAndLaterACut) {
  fails_at = 1;
  EXPECT_EQ(ask().error().code, ErrorCode::timed_out);
  fails_at = 5'000;
  EXPECT_FALSE(run(ask()));
  EXPECT_GT(written, 0);
  EXPECT_EQ(streams.size(), 0U);
}

TEST_F(LineReply, AClientThatIsGoneEndsIt) {
  pieces_taken = 2;
  EXPECT_FALSE(run(ask()));
  EXPECT_LE(asked.size(), 5U) << "what nobody takes is not read";
}

TEST_F(LineReply, StreamsAreCounted) {
  {
    std::vector<Result<Reply>> all;
    for (std::size_t i = 0; i < kMaxStreams; ++i) {
      token = "token " + std::to_string(i / kMaxStreamsOfToken);
      all.push_back(ask());
      ASSERT_TRUE(all.back());
    }
    EXPECT_EQ(streams.size(), kMaxStreams);
    token = "another";
    EXPECT_EQ(ask().error().code, ErrorCode::unavailable);
  }
  EXPECT_EQ(streams.size(), 0U);
  EXPECT_TRUE(ask());
}

TEST_F(LineReply, ATokenHasAShareOfThem) {
  std::vector<Result<Reply>> own;
  for (std::size_t i = 0; i < kMaxStreamsOfToken; ++i) {
    own.push_back(ask());
    ASSERT_TRUE(own.back());
  }
  EXPECT_EQ(ask().error().code, ErrorCode::resource_exhausted);
  token = "b";
  EXPECT_TRUE(ask());
  token = "a";
  own.pop_back();
  EXPECT_TRUE(ask());
}

TEST_F(LineReply, BadNumbersAreNamed) {
  const Error error = ask({{"limit", "0"}}).error();
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(error.fields.at(0).pointer, "/limit");
}

}  // namespace
}  // namespace hone::test
