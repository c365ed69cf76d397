#include "worker/client/lease_loop.h"

#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "tests/support/fake_job_server.h"
#include "tests/support/fake_lease.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

// Runs for as long as it is told, or until it is stopped.
class FakeRunner final : public LeaseRunner {
 public:
  Result<AttemptResult> run(const Lease&, const Slot& slot, const std::stop_token& stop) override {
    ++runs;
    last_slot = slot.number;
    AttemptResult result;
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      if (stop.stop_requested()) {
        result.outcome = Outcome::cancelled;
        result.reason = "stopped on request";
        return result;
      }
      std::this_thread::sleep_for(5ms);
    }
    if (trouble) {
      return *trouble;
    }
    if (fails_as_it_is_stopped != nullptr) {
      // The signal has ended the benchmark; the worker itself hears of it a moment later.
      stopper = std::jthread([source = fails_as_it_is_stopped] {
        std::this_thread::sleep_for(20ms);
        source->request_stop();
      });
      result.outcome = Outcome::benchmark_failed;
      result.reason = "ended by signal 15";
      return result;
    }
    result.outcome = Outcome::ok;
    result.verdict = Verdict::no_change;
    result.reused_attempt = reused_attempt;
    return result;
  }
  void accepted(const Lease& lease, const AttemptResult&) override {
    const std::lock_guard lock(mutex);
    accepted_attempts.push_back(lease.attempt);
  }
  bool reuse_refused(const Lease&, const AttemptResult& result) override {
    const std::lock_guard lock(mutex);
    refused_reuses.push_back(result.reused_attempt);
    return remembered;
  }

  std::chrono::milliseconds time{0};
  std::optional<Error> trouble;
  std::stop_source* fails_as_it_is_stopped = nullptr;
  std::jthread stopper;
  std::atomic<int> runs = 0;
  std::atomic<int> last_slot = -1;
  std::mutex mutex;
  std::vector<std::string> accepted_attempts;
  std::string reused_attempt;
  bool remembered = true;
  std::vector<std::string> refused_reuses;
};

Lease lease(const std::string& attempt) {
  return fake_lease(attempt);
}

class LeaseLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("lease-loop-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    settings_.worker.name = "w";
    settings_.slots = {{0, std::nullopt}};
    settings_.first_pause = 5ms;
    settings_.once = true;
  }
  Result<void> run_loop() {
    ResultSpool spool(folder_->path());
    return LeaseLoop(server_, runner_, spool, settings_).run(source_.get_token());
  }
  // Stops the loop once the condition holds.
  std::jthread stop_when(std::function<bool()> condition) {
    return std::jthread([this, condition = std::move(condition)] {
      const auto end = std::chrono::steady_clock::now() + 20s;
      while (!condition() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(5ms);
      }
      source_.request_stop();
    });
  }
  std::size_t spooled() { return ResultSpool(folder_->path()).entries().size(); }
  // How many results honed has of this attempt.
  bool has_result(const std::string& attempt) {
    const std::lock_guard lock(server_.mutex);
    return server_.results.contains(attempt);
  }

  std::optional<TemporaryFolder> folder_;
  FakeJobServer server_;
  FakeRunner runner_;
  LeaseLoopSettings settings_;
  std::stop_source source_;
};

TEST_F(LeaseLoopTest, RegistersRunsAndReports) {
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_EQ(server_.registered, std::vector<std::string>{"w"});
  ASSERT_TRUE(server_.results.contains("a1"));
  EXPECT_EQ(server_.results["a1"].outcome, Outcome::ok);
  EXPECT_EQ(runner_.accepted_attempts, std::vector<std::string>{"a1"});
  EXPECT_EQ(spooled(), 0U);
}

TEST_F(LeaseLoopTest, SaysGoodByeBehindAllThatItHeld) {
  settings_.once = false;
  settings_.slots = {{0, std::nullopt}, {1, std::nullopt}};
  runner_.time = 10s;
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  const std::jthread stopper = stop_when([this] { return runner_.runs == 2; });
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_EQ(server_.good_byes, std::vector<std::string>{"w"});
  EXPECT_EQ(server_.leases_at_good_bye, 2U);
}

TEST_F(LeaseLoopTest, SaysGoodByeWhenItWasIdleForLongEnough) {
  settings_.once = false;
  settings_.exit_when_idle = 1ms;
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_EQ(server_.good_byes, std::vector<std::string>{"w"});
}

TEST_F(LeaseLoopTest, EndsInOrderWhereNobodyTakesItsGoodBye) {
  server_.failures = {{"leave", 1}};
  server_.failure = fail(ErrorCode::not_found, "no such path");  // of an older honed
  server_.offer(lease("a1"));
  EXPECT_TRUE(run_loop().has_value());
}

TEST_F(LeaseLoopTest, WhoEndsByAnErrorOrWasNeverKnownIsNotGone) {
  server_.failures = {{"lease", 1}};
  server_.failure = fail(ErrorCode::permission_denied, "not a worker's token");
  EXPECT_TRUE(run_loop().has_error());
  server_.failures = {{"register", 1000}};
  server_.failure = fail(ErrorCode::unavailable, "no answer");
  const std::jthread stopper = stop_when([this] {
    const std::lock_guard lock(server_.mutex);
    return server_.failures["register"] < 999;
  });
  EXPECT_TRUE(run_loop().has_value());
  EXPECT_TRUE(server_.good_byes.empty());
}

TEST_F(LeaseLoopTest, WaitsForAServerThatIsNotThereYet) {
  server_.failures = {{"register", 3}, {"lease", 3}};
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_TRUE(server_.results.contains("a1"));
}

TEST_F(LeaseLoopTest, RegistersAgainWhereItIsUnknown) {
  server_.failures = {{"lease", 1}};
  server_.failure = fail(ErrorCode::not_found, "no worker 'w'");
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_EQ(server_.registered.size(), 2U);
}

TEST_F(LeaseLoopTest, EndsWhereTryingAgainIsUseless) {
  server_.failures = {{"lease", 1}};
  server_.failure = fail(ErrorCode::permission_denied, "not a worker's token");
  const Result<void> ended = run_loop();
  ASSERT_TRUE(ended.has_error());
  EXPECT_EQ(ended.error().code, ErrorCode::permission_denied);
}

TEST_F(LeaseLoopTest, KeepsTheLeaseAlive) {
  runner_.time = 1500ms;
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_GE(server_.beats, 3);
  EXPECT_TRUE(server_.results.contains("a1"));
}

TEST_F(LeaseLoopTest, AnUnansweredHeartbeatDoesNotStopTheJob) {
  runner_.time = 1500ms;
  server_.failures = {{"heartbeat", 2}};
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_EQ(server_.results["a1"].outcome, Outcome::ok);
}

TEST_F(LeaseLoopTest, ACancelledJobReportsThat) {
  runner_.time = 60s;
  server_.cancelled = {"a1"};
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  ASSERT_TRUE(server_.results.contains("a1"));
  EXPECT_EQ(server_.results["a1"].outcome, Outcome::cancelled);
  EXPECT_NE(server_.results["a1"].reason, "");
  EXPECT_TRUE(server_.handed_back.empty());
}

TEST_F(LeaseLoopTest, ALostLeaseStopsTheJobAndReportsNothing) {
  runner_.time = 60s;
  server_.lost = {"a1"};
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_TRUE(server_.results.empty());
  EXPECT_TRUE(server_.handed_back.empty());
  EXPECT_EQ(spooled(), 0U);
}

TEST_F(LeaseLoopTest, AStopHandsTheJobBackUncounted) {
  settings_.once = false;
  runner_.time = 60s;
  server_.offer(lease("a1"));
  const auto stopper = stop_when([&] { return runner_.runs > 0; });
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
  ASSERT_TRUE(server_.handed_back.contains("a1"));
  EXPECT_FALSE(server_.handed_back["a1"].count_attempt);
  EXPECT_TRUE(server_.results.empty());
}

TEST_F(LeaseLoopTest, TheMachinesOwnTroubleHandsTheJobBackCounted) {
  runner_.trouble = fail(ErrorCode::io_failed, "no space left");
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  ASSERT_TRUE(server_.handed_back.contains("a1"));
  EXPECT_TRUE(server_.handed_back["a1"].count_attempt);
  EXPECT_EQ(server_.handed_back["a1"].reason, "no space left");
}

TEST_F(LeaseLoopTest, TriesUntilTheResultIsAccepted) {
  server_.failures = {{"complete", 4}};
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_EQ(server_.completions, 5);
  EXPECT_TRUE(server_.results.contains("a1"));
}

TEST_F(LeaseLoopTest, AResultThatCouldNotBeDeliveredIsSentAfterARestart) {
  settings_.once = false;
  server_.failures = {{"complete", 1'000'000}};
  server_.offer(lease("a1"));
  {
    const auto stopper = stop_when([&] {
      const std::lock_guard lock(server_.mutex);
      return server_.completions > 2;
    });
    ASSERT_TRUE(run_loop().has_value());
  }
  EXPECT_TRUE(server_.results.empty());
  EXPECT_EQ(spooled(), 1U);
  server_.failures.clear();
  source_ = {};
  {
    const auto stopper = stop_when([&] {
      const std::lock_guard lock(server_.mutex);
      return !server_.results.empty();
    });
    ASSERT_TRUE(run_loop().has_value());
  }
  EXPECT_TRUE(server_.results.contains("a1"));
  EXPECT_EQ(runner_.accepted_attempts, std::vector<std::string>{"a1"});
  EXPECT_EQ(spooled(), 0U);
  EXPECT_EQ(runner_.runs, 1) << "the job itself is not run again";
}

TEST_F(LeaseLoopTest, AResultThatComesTooLateIsDropped) {
  server_.failures = {{"complete", 1}};
  server_.failure = fail(ErrorCode::expired, "the lease has expired");
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_TRUE(runner_.accepted_attempts.empty());
  EXPECT_EQ(spooled(), 0U);
}

TEST_F(LeaseLoopTest, AResultThatIsRefusedHandsTheJobBack) {
  server_.failures = {{"complete", 1}};
  server_.failure = fail(ErrorCode::invalid_argument, "bad result");
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  ASSERT_TRUE(server_.handed_back.contains("a1"));
  EXPECT_TRUE(server_.handed_back["a1"].count_attempt);
  EXPECT_EQ(spooled(), 0U);
  EXPECT_TRUE(std::filesystem::exists(folder_->path() / "a1.json.refused"))
      << "what honed does not take is for people to look at";
}

TEST_F(LeaseLoopTest, AResultThatHonedFailsAtFreesItsSlotAndIsDeliveredLater) {
  settings_.once = false;
  settings_.delivery_patience = 20ms;
  server_.refusals = {{"a1", fail(ErrorCode::internal, "a bug of honed's")}};
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  const auto stopper = stop_when([&] {
    if (has_result("a2")) {
      const std::lock_guard lock(server_.mutex);
      server_.refusals.clear();
    }
    return has_result("a1");
  });
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_TRUE(server_.results.contains("a1"));
  EXPECT_EQ(runner_.runs, 2);
  EXPECT_EQ(runner_.accepted_attempts, (std::vector<std::string>{"a2", "a1"}));
  EXPECT_EQ(spooled(), 0U);
}

TEST_F(LeaseLoopTest, AResultThatHonedKeepsFailingAtIsLeftToTheNextStart) {
  settings_.once = false;
  settings_.delivery_patience = 20ms;
  server_.refusals = {{"a1", fail(ErrorCode::internal, "a bug of honed's")}};
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  {
    const auto stopper = stop_when([&] { return has_result("a2"); });
    ASSERT_TRUE(run_loop().has_value());
  }
  EXPECT_TRUE(server_.results.contains("a2"));
  EXPECT_EQ(spooled(), 1U);
  // It holds up no start, either; and by then somebody else has measured the job.
  source_ = {};
  server_.offer(lease("a3"));
  {
    const auto stopper = stop_when([&] {
      if (has_result("a3")) {
        const std::lock_guard lock(server_.mutex);
        server_.refusals["a1"] = fail(ErrorCode::expired, "the lease has expired");
      }
      return has_result("a3") && spooled() == 0;
    });
    ASSERT_TRUE(run_loop().has_value());
  }
  EXPECT_TRUE(server_.results.contains("a3"));
  EXPECT_FALSE(server_.results.contains("a1"));
  EXPECT_EQ(spooled(), 0U);
}

TEST_F(LeaseLoopTest, ASpooledResultOfAnotherTokenStaysThereAndEndsNoWorker) {
  {
    AttemptResult result;
    result.outcome = Outcome::build_failed;
    result.reason = "no rule";
    ASSERT_TRUE(ResultSpool(folder_->path()).keep({lease("a1"), result}).has_value());
  }
  settings_.once = false;
  server_.refusals = {{"a1", fail(ErrorCode::permission_denied, "another token holds it")}};
  server_.offer(lease("a2"));
  const auto stopper = stop_when([&] { return has_result("a2"); });
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_TRUE(server_.results.contains("a2"));
  EXPECT_EQ(spooled(), 1U);
}

TEST_F(LeaseLoopTest, WhatTheSpoolCannotKeepIsTriedForAsLongAsAStopMayTake) {
  settings_.once = false;
  server_.failures = {{"complete", 6}};
  server_.offer(lease("a1"));
  const auto stopper = stop_when([&] {
    const std::lock_guard lock(server_.mutex);
    return server_.completions > 1;
  });
  ResultSpool full(folder_->path() / "nowhere");
  ASSERT_TRUE(LeaseLoop(server_, runner_, full, settings_).run(source_.get_token()).has_value());
  EXPECT_TRUE(server_.results.contains("a1")) << "one that is kept is tried only once more";
}

TEST_F(LeaseLoopTest, WhatTheSpoolCouldNotKeepIsKeptOnceThereIsRoom) {
  settings_.once = false;
  settings_.delivery_patience = 20ms;
  server_.refusals = {{"a1", fail(ErrorCode::internal, "a bug of honed's")}};
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  const std::filesystem::path later = folder_->path() / "later";
  ResultSpool spool(later);
  const auto stopper = stop_when([&] {
    if (has_result("a2")) {
      std::filesystem::create_directory(later);  // "a1" is in memory only
    }
    return std::filesystem::exists(later / "a1.json");
  });
  ASSERT_TRUE(LeaseLoop(server_, runner_, spool, settings_).run(source_.get_token()).has_value());
  EXPECT_TRUE(server_.results.contains("a2")) << "the slot went on";
  EXPECT_EQ(ResultSpool(later).entries().size(), 1U);
}

TEST_F(LeaseLoopTest, AHangingServerDelaysTheEndNoLongerThanAStopMayTake) {
  settings_.once = false;
  settings_.stop_patience = 50ms;
  server_.hanging = {"complete"};
  server_.offer(lease("a1"));
  const auto stopper = stop_when([&] {
    const std::lock_guard lock(server_.mutex);
    return server_.completions > 0;
  });
  ASSERT_TRUE(run_loop().has_value());  // else it hangs until the test's own limit
  EXPECT_EQ(spooled(), 1U);
}

TEST_F(LeaseLoopTest, AReuseThatIsRefusedIsForgottenAndTheAttemptNotCounted) {
  runner_.reused_attempt = "gone";
  server_.failure = Error{
      ErrorCode::invalid_argument, "bad result", {{"/reused_attempt", "is no completed attempt"}}};
  for (const bool remembered : {true, false}) {
    runner_.remembered = remembered;
    server_.failures = {{"complete", 1}};
    server_.offer(lease("a1"));
    ASSERT_TRUE(run_loop().has_value());
    ASSERT_TRUE(server_.handed_back.contains("a1"));
    // What would be reused again must come to an end.
    EXPECT_EQ(server_.handed_back["a1"].count_attempt, !remembered);
    EXPECT_EQ(spooled(), 0U);
  }
  EXPECT_EQ(runner_.refused_reuses, (std::vector<std::string>{"gone", "gone"}));
}

TEST_F(LeaseLoopTest, AnotherRefusalOfAReuseIsCounted) {
  runner_.reused_attempt = "there";
  server_.failures = {{"complete", 1}};
  server_.failure = Error{ErrorCode::invalid_argument, "bad result", {{"/reward", "is bad"}}};
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_TRUE(server_.handed_back["a1"].count_attempt);
  EXPECT_TRUE(runner_.refused_reuses.empty());
}

TEST_F(LeaseLoopTest, EndsWhenIdleButNotBeforeItsJobsAreDone) {
  settings_.once = false;
  settings_.exit_when_idle = 200ms;
  settings_.slots = {{0, std::nullopt}, {1, std::nullopt}};
  runner_.time = 600ms;  // the other slot is idle for longer than the limit meanwhile
  server_.offer(lease("a1"));
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_GE(std::chrono::steady_clock::now() - started, 800ms);
  EXPECT_TRUE(server_.results.contains("a1"));
  EXPECT_TRUE(server_.handed_back.empty());
}

TEST_F(LeaseLoopTest, EndsAtOnceWhereIdleMeansNoJob) {
  settings_.once = false;
  settings_.exit_when_idle = 0ms;
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_EQ(server_.results.size(), 2U);
}

TEST_F(LeaseLoopTest, AWorkerThatEndsWhenIdleDoesNotWaitForADeadServer) {
  settings_.exit_when_idle = 50ms;
  server_.failures = {{"register", 1'000'000}};
  const Result<void> ended = run_loop();
  ASSERT_TRUE(ended.has_error());
  EXPECT_EQ(ended.error().code, ErrorCode::unavailable);
}

TEST_F(LeaseLoopTest, AFailureOfTheStopItselfIsNoResult) {
  settings_.once = false;
  runner_.fails_as_it_is_stopped = &source_;
  server_.offer(lease("a1"));
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_TRUE(server_.results.empty()) << "what a signal to everybody did is not the candidate's";
  ASSERT_TRUE(server_.handed_back.contains("a1"));
  EXPECT_FALSE(server_.handed_back["a1"].count_attempt);
}

TEST_F(LeaseLoopTest, EverySlotServes) {
  settings_.once = false;
  settings_.slots = {{0, std::nullopt}, {1, std::nullopt}};
  runner_.time = 300ms;
  server_.offer(lease("a1"));
  server_.offer(lease("a2"));
  const auto stopper = stop_when([&] {
    const std::lock_guard lock(server_.mutex);
    return server_.results.size() == 2;
  });
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(run_loop().has_value());
  EXPECT_EQ(server_.results.size(), 2U);
  EXPECT_LT(std::chrono::steady_clock::now() - started, 590ms) << "at the same time";
}

}  // namespace
}  // namespace hone
