// Several leases of one slot, through the lease loop.
#include "worker/client/lease_heat.h"

#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "tests/support/fake_job_server.h"
#include "tests/support/fake_lease.h"
#include "worker/client/lease_loop.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

// Takes all that it is given, then lets each run until its stop or `time`.
class GatheringRunner final : public LeaseRunner {
 public:
  Result<AttemptResult> run(const Lease&, const Slot&, const std::stop_token&) override {
    return fail(ErrorCode::internal, "not as a heat");
  }
  void run_heat(HeatLeases& leases, const Slot&, const std::stop_token&) override {
    std::vector<const HeldLease*> held;
    for (const HeldLease* one = &leases.first(); one != nullptr; one = leases.another()) {
      held.push_back(one);
    }
    gathered.push_back(held.size());
    const auto end = std::chrono::steady_clock::now() + time;
    for (const HeldLease* const one : held) {
      if (one->lease.attempt == forgotten) {
        continue;
      }
      if (trouble) {
        leases.end(*one, *trouble);
        continue;
      }
      while (!one->stop.stop_requested() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(5ms);
      }
      AttemptResult result;
      const bool stopped = one->stop.stop_requested() && !counts_anyway;
      result.outcome = stopped ? Outcome::cancelled : Outcome::ok;
      result.reason = stopped ? "stopped on request" : "";
      result.verdict = stopped ? std::nullopt : std::optional(Verdict::no_change);
      counted[one->lease.attempt] = leases.end(*one, result);
    }
  }
  void accepted(const Lease&, const AttemptResult&) override {}
  bool reuse_refused(const Lease&, const AttemptResult&) override { return false; }

  std::chrono::milliseconds time{0};
  std::string forgotten;  // an attempt that is told no end of
  std::optional<Error> trouble;
  bool counts_anyway = false;  // what is stopped has a result nevertheless
  std::vector<std::size_t> gathered;
  std::map<std::string, bool> counted;
};

Lease lease(const std::string& attempt, const std::string& campaign = "c1") {
  return fake_lease(attempt, campaign);
}

class LeaseHeatTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("lease-heat-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    settings_.worker.name = "w";
    settings_.slots = {{0, std::nullopt}};
    settings_.first_pause = 5ms;
    settings_.heat_size = 3;
  }
  // Until as many jobs have ended, however they did.
  void run_until(std::size_t ends) {
    ResultSpool spool(folder_->path());
    const std::jthread stopper([&] {
      const auto end = std::chrono::steady_clock::now() + 20s;
      const auto ended = [&] {
        const std::lock_guard lock(server_.mutex);
        return server_.results.size() + server_.handed_back.size() >= ends;
      };
      while (!ended() && !source_.stop_requested() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(5ms);
      }
      source_.request_stop();
    });
    ASSERT_TRUE(LeaseLoop(server_, runner_, spool, settings_).run(source_.get_token()).has_value());
  }

  std::optional<TemporaryFolder> folder_;
  FakeJobServer server_;
  GatheringRunner runner_;
  LeaseLoopSettings settings_;
  std::stop_source source_;
};

TEST_F(LeaseHeatTest, HoldsAsManyOfACampaignAsItMayAndNoOthers) {
  for (const char* attempt : {"a1", "a2", "a3", "a4"}) {
    server_.offer(lease(attempt));
  }
  server_.offer(lease("b1", "c2"));
  server_.offer(lease("b2", ""));
  server_.offer(lease("b3", ""));
  run_until(7);
  EXPECT_EQ(runner_.gathered, (std::vector<std::size_t>{3, 1, 1, 1, 1}));
  EXPECT_EQ(server_.results.size(), 7U);
  EXPECT_TRUE(runner_.counted["a2"]);
  EXPECT_EQ(server_.asked_beside.at(0), "a1");
}

TEST_F(LeaseHeatTest, AHeatOfOneAsksForNothing) {
  settings_.heat_size = 1;
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  run_until(2);
  EXPECT_EQ(runner_.gathered, (std::vector<std::size_t>{1, 1}));
  EXPECT_TRUE(server_.asked_beside.empty());
}

TEST_F(LeaseHeatTest, NothingIsRacedBesideAConfirmation) {
  Lease confirm = lease("a1");
  confirm.stage = Stage::confirm;
  server_.offer(confirm);
  server_.offer(lease("a2"));
  run_until(2);
  EXPECT_TRUE(server_.asked_beside.empty() || server_.asked_beside.at(0) == "a2");
  EXPECT_EQ(runner_.gathered, (std::vector<std::size_t>{1, 1}));
}

TEST_F(LeaseHeatTest, WhatAnOlderCoordinatorGivesInsteadGoesBackUncounted) {
  server_.knows_beside = false;
  server_.offer(lease("a1"));
  server_.offer(lease("b1", ""));
  run_until(2);
  EXPECT_TRUE(server_.results.contains("a1"));
  ASSERT_TRUE(server_.handed_back.contains("b1"));
  EXPECT_FALSE(server_.handed_back["b1"].count_attempt);
  EXPECT_FALSE(server_.results.contains("b1"));
}

TEST_F(LeaseHeatTest, NoAnswerIsNoCompanion) {
  server_.failures = {{"beside", 1}};
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  run_until(2);
  EXPECT_EQ(runner_.gathered, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(server_.results.size(), 2U);
}

TEST_F(LeaseHeatTest, EachLeaseIsKeptAliveAndHasItsOwnEnd) {
  runner_.time = 1500ms;
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  server_.offer(lease("a3"));
  server_.cancelled = {"a1"};
  server_.lost = {"a3"};
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(2500ms);
    source_.request_stop();
  });
  run_until(9);
  EXPECT_EQ(server_.results["a1"].outcome, Outcome::cancelled);
  EXPECT_EQ(server_.results["a2"].outcome, Outcome::ok);
  EXPECT_FALSE(server_.results.contains("a3"));
  EXPECT_TRUE(server_.handed_back.empty());
  EXPECT_FALSE(runner_.counted["a3"]);
  EXPECT_GE(server_.beats, 2 * 3);
}

TEST_F(LeaseHeatTest, WhatACancelledJobHasMeasuredCounts) {
  runner_.time = 60s;
  runner_.counts_anyway = true;
  server_.offer(lease("a1"));
  server_.cancelled = {"a1"};
  run_until(1);
  EXPECT_EQ(server_.results["a1"].outcome, Outcome::ok);
}

TEST_F(LeaseHeatTest, TroubleAndForgottenJobsGoBackCounted) {
  runner_.forgotten = "a2";
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  run_until(2);
  EXPECT_TRUE(server_.results.contains("a1"));
  ASSERT_TRUE(server_.handed_back.contains("a2"));
  EXPECT_TRUE(server_.handed_back["a2"].count_attempt);
  source_ = {};
  runner_.trouble = fail(ErrorCode::io_failed, "no space left");
  server_.offer(lease("a4"));
  server_.offer(lease("a5"));
  run_until(4);
  EXPECT_EQ(server_.handed_back["a4"].reason, "no space left");
  EXPECT_EQ(server_.handed_back["a5"].reason, "no space left");
}

TEST_F(LeaseHeatTest, OneDeadlineBoundsAllThatAStopHasToTell) {
  settings_.stop_patience = 50ms;
  for (const bool counts : {true, false}) {
    // Results, and jobs that go back: each waits for a server that says nothing any more.
    server_.hanging = {counts ? "complete" : "hand_back"};
    runner_.counts_anyway = counts;
    runner_.time = counts ? 0ms : 60'000ms;
    for (const char* attempt : {"a1", "a2", "a3"}) {
      server_.offer(lease(attempt));
    }
    source_ = {};
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(300ms);
      source_.request_stop();
    });
    run_until(9);  // else it hangs until the test's own limit
    EXPECT_EQ(ResultSpool(folder_->path()).entries().size(), counts ? 3U : 0U);
    EXPECT_TRUE(server_.handed_back.empty());
  }
}

TEST_F(LeaseHeatTest, AStopHandsAllBackUncounted) {
  runner_.time = 60s;
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(300ms);
    source_.request_stop();
  });
  run_until(9);
  ASSERT_EQ(server_.handed_back.size(), 2U);
  EXPECT_FALSE(server_.handed_back["a1"].count_attempt);
  EXPECT_FALSE(server_.handed_back["a2"].count_attempt);
}

}  // namespace
}  // namespace hone
