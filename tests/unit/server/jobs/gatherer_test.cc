#include "server/jobs/gatherer.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "tests/support/database.h"

namespace hone::test {
namespace {

// Work that ends when it is let go, and notes what it was given.
class GathererTest : public ::testing::Test {
 protected:
  using Batch = std::vector<int>;
  Gatherer<int> gatherer(GatherLimits limits) {
    return Gatherer<int>(
        context.get_executor(), [this](Batch batch) { return work(std::move(batch)); }, limits);
  }
  boost::asio::awaitable<Result<std::vector<Result<void>>>> work(Batch batch) {
    batches.push_back(batch);
    ++running;
    most_running = std::max(most_running, running);
    while (held) {
      boost::asio::steady_timer turn(context, std::chrono::milliseconds(1));
      co_await turn.async_wait(boost::asio::use_awaitable);
    }
    --running;
    if (fails) {
      co_return fail(ErrorCode::unavailable, "no database");
    }
    if (throws) {
      throw std::runtime_error("a bug");
    }
    std::vector<Result<void>> answers;
    for (const int item : batch) {
      answers.push_back(item < 0 ? Result<void>(fail(ErrorCode::conflict, std::to_string(item)))
                                 : Result<void>());
    }
    co_return answers;
  }
  void ask(Gatherer<int>& of, int item, std::size_t weight = 1) {
    boost::asio::co_spawn(context, of.ask(item, weight),
                          [this, item](std::exception_ptr, Result<void> end) {
                            ends.emplace_back(item, std::move(end));
                          });
  }
  void run_until_ended(std::size_t count) {
    context.restart();
    while (ends.size() < count && context.run_one() > 0) {
    }
    ASSERT_EQ(ends.size(), count);
  }
  void poll() {
    context.restart();
    context.poll();
  }

  boost::asio::io_context context;
  std::vector<Batch> batches;
  std::vector<std::pair<int, Result<void>>> ends;
  int running = 0;
  int most_running = 0;
  bool held = false;
  bool fails = false;
  bool throws = false;
};

TEST_F(GathererTest, OneThatAsksAloneWaitsForNobody) {
  Gatherer<int> alone = gatherer({});
  ask(alone, 7);
  run_until_ended(1);
  EXPECT_EQ(batches, std::vector<Batch>{{7}});
}

TEST_F(GathererTest, WhoComesWhileABatchRunsSharesTheNext) {
  Gatherer<int> shared = gatherer({.items = 3, .batches = 1});
  held = true;
  ask(shared, 0);
  poll();
  for (int i = 1; i <= 5; ++i) {
    ask(shared, i);
  }
  poll();
  EXPECT_EQ(shared.waiting(), 5U);
  held = false;
  run_until_ended(6);
  EXPECT_EQ(batches, (std::vector<Batch>{{0}, {1, 2, 3}, {4, 5}}));
  EXPECT_EQ(most_running, 1);
}

TEST_F(GathererTest, AsManyBatchesAsAllowedRunAtATime) {
  Gatherer<int> two = gatherer({.items = 1, .batches = 2});
  held = true;
  for (int i = 0; i < 4; ++i) {
    ask(two, i);
  }
  poll();
  EXPECT_EQ(batches.size(), 2U);
  held = false;
  run_until_ended(4);
  EXPECT_EQ(most_running, 2);
}

TEST_F(GathererTest, HeavyItemsGoInSmallBatches) {
  Gatherer<int> heavy = gatherer({.items = 10, .weight = 100, .batches = 1});
  held = true;
  ask(heavy, 0);
  poll();
  ask(heavy, 1, 60);
  ask(heavy, 2, 40);
  ask(heavy, 3, 1'000);
  ask(heavy, 4, 1);
  held = false;
  run_until_ended(5);
  EXPECT_EQ(batches, (std::vector<Batch>{{0}, {1, 2}, {3}, {4}}));
}

TEST_F(GathererTest, EachHasItsOwnEnd) {
  Gatherer<int> each = gatherer({.batches = 1});
  held = true;
  ask(each, 0);
  poll();
  ask(each, -1);
  ask(each, 2);
  held = false;
  run_until_ended(3);
  for (const auto& [item, end] : ends) {
    EXPECT_EQ(end.has_value(), item >= 0) << item;
  }
}

TEST_F(GathererTest, AFailureOfAllIsToldToEach) {
  Gatherer<int> failing = gatherer({});
  fails = true;
  ask(failing, 1);
  run_until_ended(1);
  EXPECT_EQ(ends[0].second.error().code, ErrorCode::unavailable);
  fails = false;
  throws = true;
  ask(failing, 2);
  run_until_ended(2);
  EXPECT_EQ(ends[1].second.error().code, ErrorCode::internal);
  throws = false;
  ask(failing, 3);
  run_until_ended(3);
  EXPECT_TRUE(ends[2].second) << "it goes on";
}

}  // namespace
}  // namespace hone::test
