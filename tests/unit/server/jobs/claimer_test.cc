#include "server/jobs/claimer.h"

#include <set>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

constexpr auto kToken = boost::asio::as_tuple(boost::asio::use_awaitable);

// A worker's end of the connection, which the test can cut.
class FakePeer final : public Peer {
 public:
  explicit FakePeer(boost::asio::io_context& context) : cut_(context) {
    cut_.expires_at(boost::asio::steady_timer::time_point::max());
  }
  bool gone() const override { return gone_; }
  boost::asio::awaitable<void> wait_gone() override {
    if (!gone_) {
      co_await cut_.async_wait(kToken);
    }
  }
  void leave() {
    gone_ = true;
    cut_.cancel();
  }

 private:
  boost::asio::steady_timer cut_;
  bool gone_ = false;
};

class ClaimerTest : public StoreTest {
 protected:
  struct Wait {
    explicit Wait(boost::asio::io_context& context) : peer(context) {}
    FakePeer peer;
    std::optional<Result<std::optional<Lease>>> end;
  };

  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker("w1");
    add_worker("w2");
    claimer.emplace(context.get_executor(), *store, options);
    run_until([this] { return store->notifications().listening(); });
  }
  void TearDown() override {
    claimer.reset();
    for (const auto& wait : waits) {
      wait->peer.leave();
    }
    run_until([this] {
      return std::ranges::all_of(waits, [](const auto& wait) { return wait->end.has_value(); });
    });
    StoreTest::TearDown();
  }

  void run_until(const std::function<bool()>& holds) {
    context.restart();
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << "it never held";
      context.run_one_for(std::chrono::milliseconds(100));
    }
  }
  Wait& start(const std::string& worker, std::chrono::milliseconds patience) {
    waits.push_back(std::make_unique<Wait>(context));
    Wait& wait = *waits.back();
    LeaseWait asked{.worker = worker, .token = token, .patience = patience};
    boost::asio::co_spawn(context, claimer->claim(wait.peer, std::move(asked)),
                          [&wait](std::exception_ptr, Result<std::optional<Lease>> end) {
                            wait.end.emplace(std::move(end));
                          });
    return wait;
  }
  // What came of it, once it is over.
  std::optional<Lease> lease_of(Wait& wait) {
    run_until([&wait] { return wait.end.has_value(); });
    if (!wait.end || !*wait.end) {
      ADD_FAILURE() << (wait.end ? wait.end->error().describe() : "it did not end");
      return std::nullopt;
    }
    return **wait.end;
  }
  // Until so many statements of claims ended after this call is hard to see from outside; the
  // store's own waits tell when a worker was seen.
  void let_it_park() {
    for (int i = 0; i < 50; ++i) {
      context.restart();
      context.run_for(std::chrono::milliseconds(2));
    }
  }

  static constexpr std::chrono::milliseconds kLong{60'000};
  ClaimerOptions options;
  std::optional<Claimer> claimer;
  std::vector<std::unique_ptr<Wait>> waits;
};

TEST_F(ClaimerTest, AJobThatIsThereIsGivenAtOnce) {
  const std::string id = submit(1).at(0);
  EXPECT_EQ(lease_of(start("w1", std::chrono::milliseconds(0)))->job, id);
  EXPECT_FALSE(lease_of(start("w1", std::chrono::milliseconds(0))));
}

TEST_F(ClaimerTest, AWaitingWorkerIsGivenAJobThatIsSubmitted) {
  options.look_again = kLong;  // only the notification can tell
  Wait& wait = start("w1", kLong);
  let_it_park();
  EXPECT_FALSE(wait.end);
  EXPECT_EQ(claimer->waiting(), 1U);
  const std::string id = submit(1).at(0);
  EXPECT_EQ(lease_of(wait)->job, id);
  EXPECT_EQ(claimer->waiting(), 0U);
}

TEST_F(ClaimerTest, AHundredWaitersShareAHundredJobs) {
  for (int i = 0; i < 100; ++i) {
    start(i % 2 == 0 ? "w1" : "w2", kLong);
  }
  let_it_park();
  const std::vector<std::string> ids = submit(99);
  std::set<std::string> given;
  run_until([&] {
    return std::ranges::count_if(waits, [](const auto& wait) { return wait->end.has_value(); }) ==
           99;
  });
  for (const auto& wait : waits) {
    if (wait->end) {
      given.insert((**wait->end)->job);
    }
  }
  EXPECT_EQ(given, std::set<std::string>(ids.begin(), ids.end()));
  EXPECT_FALSE(waits.back()->end) << "the last to come waits on";
  EXPECT_EQ(claimer->waiting(), 1U);
}

TEST_F(ClaimerTest, PatienceEnds) {
  EXPECT_FALSE(lease_of(start("w1", std::chrono::milliseconds(30))));
  EXPECT_EQ(claimer->waiting(), 0U);
}

TEST_F(ClaimerTest, WhoLeftGetsNothing) {
  Wait& left = start("w1", kLong);
  Wait& stays = start("w2", kLong);
  let_it_park();
  left.peer.leave();
  EXPECT_FALSE(lease_of(left));
  const std::string id = submit(1).at(0);
  EXPECT_EQ(lease_of(stays)->job, id);
}

TEST_F(ClaimerTest, WhoLeavesDuringAClaimThatFindsNothingIsLetGo) {
  for (int steps = 0; steps < 12; ++steps) {
    Wait& leaving = start("w1", kLong);
    for (int i = 0; i <= steps; ++i) {
      context.restart();
      context.run_one_for(std::chrono::milliseconds(20));
    }
    leaving.peer.leave();
    EXPECT_FALSE(lease_of(leaving));
  }
  EXPECT_EQ(claimer->waiting(), 0U);
}

TEST_F(ClaimerTest, ALeaseThatNobodyTakesIsHandedBackUncounted) {
  // It leaves while its claim is under way: whatever came of that, the job is there for the next.
  for (int i = 0; i < 5; ++i) {
    submit(1);
    Wait& leaving = start("w1", kLong);
    for (int steps = 0; steps <= 3 * i; ++steps) {
      context.restart();
      context.run_one_for(std::chrono::milliseconds(50));
    }
    leaving.peer.leave();
    run_until([&leaving] { return leaving.end.has_value(); });
    const bool had_left_with_it = *leaving.end && **leaving.end;
    if (!had_left_with_it) {
      ASSERT_TRUE(lease_of(start("w2", kLong)));
    }
  }
  EXPECT_EQ(sql("SELECT count(*) FROM jobs WHERE attempts_counted > 1"), "0");
}

TEST_F(ClaimerTest, OnlyRegisteredWorkersMayWait) {
  Wait& wait = start("nobody", kLong);
  run_until([&wait] { return wait.end.has_value(); });
  EXPECT_EQ(wait.end->error().code, ErrorCode::not_found);
  add_worker("nobody");
  submit(1);
  EXPECT_TRUE(lease_of(start("nobody", kLong))) << "it is not remembered as unknown";
}

TEST_F(ClaimerTest, ADrainedWorkerIsGivenAJobOnceItTakesThemAgain) {
  get(store->workers().set_use("w1", WorkerUse::drain));
  submit(1);
  EXPECT_FALSE(lease_of(start("w1", std::chrono::milliseconds(0))));
  Wait& wait = start("w1", kLong);
  let_it_park();
  EXPECT_FALSE(wait.end);
  get(store->workers().set_use("w1", WorkerUse::take_jobs));
  EXPECT_TRUE(lease_of(wait));
}

TEST_F(ClaimerTest, DrainingHoldsForOneThatWaits) {
  Wait& wait = start("w1", kLong);
  Wait& other = start("w2", kLong);
  let_it_park();
  get(store->workers().set_use("w1", WorkerUse::drain));
  const std::string id = submit(1).at(0);
  EXPECT_EQ(lease_of(other)->job, id);
  submit(1);
  let_it_park();
  EXPECT_FALSE(wait.end);
}

TEST_F(ClaimerTest, KindsOfWorkersWaitSideBySide) {
  TargetSpec picky = example_target("picky");
  picky.required.labels = {{"rack", "a"}};
  get(store->targets().put(picky, token));
  WorkerView able;
  able.name = "able";
  able.labels = {{"rack", "a"}};
  get(store->workers().put(able));
  Wait& plain = start("w1", kLong);
  Wait& special = start("able", kLong);
  let_it_park();
  const std::string wanted = submit(1, "picky").at(0);
  EXPECT_EQ(lease_of(special)->job, wanted);
  EXPECT_FALSE(plain.end);
  const std::string any = submit(1).at(0);
  EXPECT_EQ(lease_of(plain)->job, any);
}

TEST_F(ClaimerTest, ARequirementThatIsNewIsSeenByThoseThatWait) {
  WorkerView able;
  able.name = "able";
  able.labels = {{"rack", "a"}};
  get(store->workers().put(able));
  Wait& plain = start("w1", kLong);
  Wait& special = start("able", kLong);
  let_it_park();
  TargetSpec picky = example_target("picky");
  picky.required.labels = {{"rack", "a"}};
  get(store->targets().put(picky, token));
  const std::string wanted = submit(1, "picky").at(0);
  EXPECT_EQ(lease_of(special)->job, wanted);
  EXPECT_FALSE(plain.end);
}

TEST_F(ClaimerTest, TwoCoordinatorsShareAQueue) {
  Claimer second(context.get_executor(), *store, {});
  constexpr int kEach = 40;
  for (int i = 0; i < kEach; ++i) {
    start("w1", kLong);
  }
  std::vector<std::unique_ptr<Wait>> others;
  for (int i = 0; i < kEach; ++i) {
    others.push_back(std::make_unique<Wait>(context));
    Wait& wait = *others.back();
    LeaseWait asked{.worker = "w2", .token = token, .patience = kLong};
    boost::asio::co_spawn(context, second.claim(wait.peer, std::move(asked)),
                          [&wait](std::exception_ptr, Result<std::optional<Lease>> end) {
                            wait.end.emplace(std::move(end));
                          });
  }
  let_it_park();
  const std::vector<std::string> ids = submit(2 * kEach);
  std::multiset<std::string> given;
  for (auto* list : {&waits, &others}) {
    for (const auto& wait : *list) {
      given.insert(lease_of(*wait)->job);
    }
  }
  EXPECT_EQ(given, std::multiset<std::string>(ids.begin(), ids.end()));
}

TEST_F(ClaimerTest, StoppingLeavesNobodyBehind) {
  Wait& wait = start("w1", kLong);
  let_it_park();
  claimer->stop();
  wait.peer.leave();
  EXPECT_FALSE(lease_of(wait));
}

}  // namespace
}  // namespace hone::test
