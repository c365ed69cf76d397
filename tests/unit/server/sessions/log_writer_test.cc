// The session log's queue and its writer, with a database that is slow, gone, or will not have it.
#include "server/sessions/log_writer.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

namespace hone {
namespace {

using std::chrono::milliseconds;

LoggedStep step_of(std::int64_t number, std::string pipeline = "globaldce") {
  LoggedStep step;
  step.episode = std::make_shared<const LoggedEpisode>();
  step.step = number;
  step.pipelines = {std::move(pipeline)};
  return step;
}

std::vector<std::int64_t> numbers_of(const LogBatch& batch) {
  std::vector<std::int64_t> numbers;
  for (const auto& step : batch) {
    numbers.push_back(step->step);
  }
  return numbers;
}

using Numbers = std::vector<std::int64_t>;

TEST(LogQueue, HoldsSoManyRowsAndCountsTheOthers) {
  LogQueue queue({.rows = 3, .bytes = 1 << 20});
  EXPECT_TRUE(queue.push(step_of(0)));
  EXPECT_TRUE(queue.push(step_of(1)));
  EXPECT_TRUE(queue.push(step_of(2)));
  EXPECT_FALSE(queue.push(step_of(3)));
  EXPECT_EQ(queue.counts().full, 1U);
  EXPECT_EQ(numbers_of(queue.first(2, 1 << 20)), (Numbers{0, 1}));
  EXPECT_FALSE(queue.push(step_of(4))) << "a batch that is being written takes its room";
  queue.written(2);
  EXPECT_TRUE(queue.push(step_of(5)));
  EXPECT_EQ(numbers_of(queue.first(9, 1 << 20)), (Numbers{2, 5}));
  EXPECT_EQ(queue.counts().written, 2U);
}

TEST(LogQueue, HoldsSoManyBytes) {
  const std::size_t one = bytes_of(step_of(0, std::string(1000, 'x')));
  EXPECT_GT(one, 1000U);
  LogQueue queue({.rows = 100, .bytes = 2 * one});
  EXPECT_TRUE(queue.push(step_of(0, std::string(1000, 'x'))));
  EXPECT_TRUE(queue.push(step_of(1, std::string(1000, 'x'))));
  EXPECT_EQ(queue.bytes(), 2 * one);
  EXPECT_FALSE(queue.push(step_of(2)));
  EXPECT_EQ(numbers_of(queue.first(9, one)), (Numbers{0}));
  EXPECT_EQ(numbers_of(queue.first(9, 1)), (Numbers{0})) << "one goes in any case";
  queue.refused(1);
  EXPECT_EQ(queue.bytes(), one);
  EXPECT_EQ(queue.counts().refused, 1U);
}

TEST(LogQueue, WhatIsSeenCounts) {
  LoggedStep seen = step_of(0);
  const std::size_t without = bytes_of(seen);
  seen.features["InstCount"] = std::vector<std::int64_t>(70, 1);
  EXPECT_GE(bytes_of(seen), without + 70 * 4);
}

// A database that does as it is told.
class LogWriterTest : public ::testing::Test {
 protected:
  Async<void> take(LogBatch batch) {
    ++calls;
    if (!answers) {
      co_return fail(ErrorCode::unavailable, "the database is gone");
    }
    for (const auto& step : batch) {
      if (step->step == poison) {
        co_return fail(ErrorCode::internal, "it will not have row " + std::to_string(step->step));
      }
    }
    for (const auto& step : batch) {
      taken.push_back(step->step);
    }
    co_return Result<void>();
  }
  void start() { background.spawn("writer", writer.run(background)); }
  void run_for(milliseconds time) {
    context.restart();
    context.run_for(time);
  }
  void run_until(const std::function<bool()>& done) {
    for (int i = 0; i < 500 && !done(); ++i) {
      run_for(milliseconds(5));
    }
    EXPECT_TRUE(done());
  }
  void stop(milliseconds limit) {
    background.request_stop();
    bool over = false;
    boost::asio::co_spawn(context, writer.finish(limit), [&](auto) { over = true; });
    run_until([&] { return over; });
  }

  boost::asio::io_context context;
  Background background{context.get_executor(), [] { ADD_FAILURE() << "the writer failed"; }};
  LogQueue queue{{.rows = 10, .bytes = 1 << 20}};
  LogWriter writer{context.get_executor(),
                   queue,
                   [this](LogBatch batch) { return take(std::move(batch)); },
                   {.interval = milliseconds(2),
                    .batch_rows = 4,
                    .first_pause = milliseconds(2),
                    .longest_pause = milliseconds(8)}};
  bool answers = true;
  std::int64_t poison = -1;
  int calls = 0;
  Numbers taken;
};

TEST_F(LogWriterTest, WritesInBatchesAndInOrder) {
  start();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(queue.push(step_of(i)));
  }
  run_until([this] { return queue.empty(); });
  EXPECT_EQ(taken, (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(queue.counts().written, 10U);
  stop(milliseconds(100));
}

TEST_F(LogWriterTest, ADatabaseThatIsGoneCostsRowsOnlyWhenTheQueueIsFull) {
  answers = false;
  start();
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(queue.push(step_of(i)), i < 10) << "asked without waiting for anybody";
  }
  run_for(milliseconds(60));
  EXPECT_GT(calls, 2) << "it is tried again";
  EXPECT_LT(calls, 25) << "but less and less often";
  EXPECT_TRUE(taken.empty());
  EXPECT_EQ(queue.counts().full, 2U);
  answers = true;
  run_until([this] { return queue.empty(); });
  EXPECT_EQ(taken, (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(queue.counts().written, 10U);
  stop(milliseconds(100));
}

TEST_F(LogWriterTest, ARowThatIsRefusedCostsItselfAlone) {
  poison = 2;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(queue.push(step_of(i)));
  }
  start();
  run_until([this] { return queue.empty(); });
  EXPECT_EQ(taken, (Numbers{0, 1, 3, 4, 5}));
  EXPECT_EQ(queue.counts().refused, 1U);
  EXPECT_EQ(queue.counts().written, 5U);
  stop(milliseconds(100));
}

TEST_F(LogWriterTest, WhatWaitsIsWrittenBeforeTheEnd) {
  start();
  run_for(milliseconds(10));
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(queue.push(step_of(i)));
  }
  stop(milliseconds(500));
  EXPECT_EQ(taken.size(), 9U);
  EXPECT_EQ(queue.counts().left, 0U);
}

TEST_F(LogWriterTest, TheEndDoesNotWaitForADatabaseThatIsGone) {
  answers = false;
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(queue.push(step_of(i)));
  }
  start();
  run_for(milliseconds(10));
  stop(milliseconds(500));
  EXPECT_EQ(queue.counts().left, 9U) << "counted, not forgotten";
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace hone
