// How many questions of balancers reach the database, and what is answered meanwhile.
#include "server/api/canary_leases.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

namespace hone {
namespace {

using std::chrono::milliseconds;

const std::string kId = "0b1f6b0e-0000-4000-8000-00000000000a";
const std::string kPromoted = "0b1f6b0e-0000-4000-8000-00000000000b";

class CanaryLeasesTest : public testing::Test {
 protected:
  // What a question gives that is answered from memory or by a store that answers at once.
  Result<bool> ask(const std::string& id) {
    std::optional<Result<bool>> answer;
    boost::asio::co_spawn(
        context, leases.may_serve(id),
        [&](std::exception_ptr, Result<bool> result) { answer.emplace(std::move(result)); });
    context.restart();
    context.poll();
    return answer ? *answer : fail(ErrorCode::internal, "no answer");
  }

  boost::asio::io_context context;
  CanaryLeases::Time now = CanaryLeases::Time() + std::chrono::hours(1);
  int questions = 0;
  Result<std::vector<ServingCanary>> stored =
      std::vector<ServingCanary>{{kId, 1'000}, {kPromoted, std::nullopt}};
  boost::asio::steady_timer* slow = nullptr;  // then the store answers when it is cancelled
  CanaryLeases leases{[this] { return read(); }, [this] { return now; }};

 private:
  Async<std::vector<ServingCanary>> read() {
    ++questions;
    const Result<std::vector<ServingCanary>> then = stored;
    if (slow != nullptr) {
      co_await slow->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    co_return then;
  }
};

TEST_F(CanaryLeasesTest, OneQuestionAnswersAll) {
  EXPECT_TRUE(ask(kId).value());
  EXPECT_TRUE(ask("0B1F6B0E-0000-4000-8000-00000000000A").value());
  EXPECT_TRUE(ask(kPromoted).value());
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_FALSE(ask("no canary " + std::to_string(i)).value());
  }
  EXPECT_EQ(questions, 1);
  now += CanaryLeases::kGood - milliseconds(1);
  EXPECT_TRUE(ask(kId).value());
  EXPECT_EQ(questions, 1);
  stored = std::vector<ServingCanary>{};
  now += milliseconds(1);
  EXPECT_FALSE(ask(kId).value()) << "it was withdrawn";
  EXPECT_EQ(questions, 2);
}

TEST_F(CanaryLeasesTest, WhoAsksMeanwhileWaitsForTheSameAnswer) {
  boost::asio::steady_timer answers(context, std::chrono::hours(1));
  slow = &answers;
  std::vector<bool> given;
  for (int i = 0; i < 100; ++i) {
    boost::asio::co_spawn(context, leases.may_serve(i % 2 == 0 ? kId : "none"),
                          [&](std::exception_ptr, Result<bool> may) {
                            ASSERT_TRUE(may);
                            given.push_back(*may);
                          });
  }
  context.poll();
  EXPECT_TRUE(given.empty());
  answers.cancel();
  context.restart();
  context.poll();
  EXPECT_EQ(given.size(), 100U);
  EXPECT_EQ(std::count(given.begin(), given.end(), true), 50);
  EXPECT_EQ(questions, 1);
}

TEST_F(CanaryLeasesTest, NoneIsGivenBeyondItsEnd) {
  stored = std::vector<ServingCanary>{{kId, 100}, {kPromoted, std::nullopt}};
  EXPECT_TRUE(ask(kId).value());
  now += milliseconds(99);
  EXPECT_TRUE(ask(kId).value());
  now += milliseconds(1);
  EXPECT_FALSE(ask(kId).value());
  EXPECT_TRUE(ask(kPromoted).value());
  EXPECT_EQ(questions, 1);
  // Nor while the answer was on its way: what is left counts from the question.
  now += CanaryLeases::kGood;
  boost::asio::steady_timer answers(context, std::chrono::hours(1));
  slow = &answers;
  std::optional<bool> late;
  boost::asio::co_spawn(context, leases.may_serve(kId),
                        [&](std::exception_ptr, Result<bool> may) { late = may.value(); });
  context.restart();
  context.poll();
  now += milliseconds(100);
  answers.cancel();
  context.restart();
  context.poll();
  EXPECT_EQ(late, false);
}

TEST_F(CanaryLeasesTest, AFailureIsToldToAllAndNotRepeatedAtOnce) {
  stored = fail(ErrorCode::unavailable, "the database is away");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(ask(kId).error().message, "the database is away");
  }
  EXPECT_EQ(questions, 1);
  stored = std::vector<ServingCanary>{{kId, 1'000}};
  now += CanaryLeases::kGood;
  EXPECT_TRUE(ask(kId).value());
}

TEST_F(CanaryLeasesTest, WhatChangedHereIsAskedAtOnce) {
  EXPECT_TRUE(ask(kId).value());
  stored = std::vector<ServingCanary>{};
  leases.forget();
  EXPECT_FALSE(ask(kId).value());
}

}  // namespace
}  // namespace hone
