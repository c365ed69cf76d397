// Who gets traffic when, and who never: leases, weights, rivals, with a real store.
#include "tests/unit/server/canaries/canary_controller_test.h"

namespace hone::test {
namespace {

TEST_F(CanaryControllerTest, AClockThatWasSetBackLeavesItNoLease) {
  const std::string id = begin();
  pass(25);
  ASSERT_TRUE(get(store->canaries().may_serve(id)));
  service.now -= 600;
  sql("UPDATE canaries SET serving_until = NULL");
  last = run_on(context, controller->tick());
  ASSERT_FALSE(last);
  EXPECT_NE(last.error().message.find("clock"), std::string::npos) << last.error().message;
  EXPECT_FALSE(get(store->canaries().may_serve(id))) << "nobody would look at it for ten minutes";
}

TEST_F(CanaryControllerTest, ASuccessorDoesNotGetWhatThePromotedOneWasGiven) {
  const std::string id = begin();
  ASSERT_TRUE(reaches(id, CanaryState::judged)) << view(id).status.reason;
  service.traffic_fails = true;
  pass(30);
  ASSERT_EQ(state(id), CanaryState::promoted);
  EXPECT_TRUE(get(store->canaries().may_serve(id)));
  const std::string next = begin({.steps = {5, 50}, .step_windows = 3}, publish());
  EXPECT_FALSE(get(store->canaries().may_serve(id))) << "a balancer that still asks by the old id";
  service.most_share = 0;
  service.traffic_fails = false;
  pass(3);
  EXPECT_EQ(state(next), CanaryState::ramping);
  EXPECT_EQ(service.share, 5);
  EXPECT_LE(service.most_share, 5);
  EXPECT_EQ(get(store->experiences().read({})).count, 1) << "what it taught is kept";
}

TEST_F(CanaryControllerTest, NearStepsAreStepsToo) {
  const std::string id = begin({.steps = {50, 60, 80}, .step_windows = 3, .most_windows = 60});
  ASSERT_TRUE(reaches(id, CanaryState::judged)) << view(id).status.reason;
  EXPECT_EQ(service.share, 80);
  ASSERT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
  pass(1);
  EXPECT_EQ(service.share, 100) << "the baseline serves nobody for ever";
}

// A Prometheus whose answer comes when the canary was ended long ago, and let go of.
class LateMetrics : public FakeMetrics {
 public:
  LateMetrics(FakeService& service, CanaryStore& canaries, std::string& ending)
      : FakeMetrics(service), service_(service), canaries_(canaries), ending_(ending) {}
  Async<std::string> query(std::string promql, double at) override {
    if (!ending_.empty()) {
      const std::string id = std::exchange(ending_, "");
      const CanaryChange end = [](CanaryStatus status) {
        return ended_by_hand(std::move(status), "ann", "lunch");
      };
      Result<CanaryView> changed = co_await canaries_.change(id, end);
      HONE_CO_TRY(const CanaryView ended, std::move(changed));
      service_.share = 0;
      CanaryStep step;
      step.status = ended.status;
      step.follows = true;
      Result<CanaryView> noted = co_await canaries_.advance(id, ended.revision, step);
      HONE_CO_CHECK(noted);
    }
    Result<std::string> reply = co_await FakeMetrics::query(std::move(promql), at);
    co_return reply;
  }

 private:
  FakeService& service_;
  CanaryStore& canaries_;
  std::string& ending_;
};

TEST_F(CanaryControllerTest, AnOldLookMovesNoTraffic) {
  const std::string id = begin();
  std::string ending;
  CanaryWorld late = world();
  late.metrics = [&](const ServiceSpec&) {
    return std::make_unique<LateMetrics>(service, store->canaries(), ending);
  };
  controller = std::make_unique<CanaryController>(*store, late, "a", std::chrono::minutes(1));
  pass(15);
  ASSERT_GT(service.share, 0);
  ending = id;
  pass(15);
  ASSERT_TRUE(ending.empty());
  EXPECT_EQ(state(id), CanaryState::aborted);
  EXPECT_EQ(service.share, 0) << "nobody would look at it again";
}

// A balancer that never answers.
class SilentTraffic : public TrafficDriver {
 public:
  Async<void> set_share(int) override { return silence<void>(); }
  Async<int> share() override { return silence<int>(); }

 private:
  template <class T>
  static Async<T> silence() {
    const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer timer(executor, std::chrono::seconds(2));
    co_await timer.async_wait(boost::asio::use_awaitable);
    co_return fail(ErrorCode::timed_out, "silence");
  }
};

TEST_F(CanaryControllerTest, ASilentBalancerDelaysNobodyElse) {
  const std::string id = begin();
  pass(5);
  ServiceSpec spec = view(id).service;
  spec.traffic.manifest->name = "silent";
  spec.traffic.manifest->file = "/silent";
  const Result<CanaryView> silent = begin_other(spec);
  ASSERT_TRUE(silent) << silent.error().describe();
  CanaryWorld with_silence = world();
  with_silence.traffic = [this](const TrafficPlace& place) -> std::unique_ptr<TrafficDriver> {
    if (place.manifest->name == "silent") {
      return std::make_unique<SilentTraffic>();
    }
    return std::make_unique<FakeTraffic>(service);
  };
  sql("UPDATE canaries SET owner = NULL");
  CanaryController other(*store, std::move(with_silence), "b", std::chrono::milliseconds(500));
  for (int i = 0; i < 3; ++i) {
    sql("UPDATE canaries SET serving_until = NULL");
    run_on(context, other.tick());
    EXPECT_TRUE(get(store->canaries().may_serve(id))) << "look " << i;
  }
  run_on(context, other.settle());
}

TEST_F(CanaryControllerTest, OnlyWhoDrivesItAsItIsRenewsItsLease) {
  const std::string id = begin();
  pass(15);
  const std::int64_t revision = view(id).revision;
  sql("UPDATE canaries SET serving_until = now() - interval '1 second'");
  const auto code = [&](const std::string& owner, std::int64_t known) {
    const Result<void> renewed =
        run_on(context, store->canaries().renew_serving(id, owner, known, 60));
    return renewed ? std::nullopt : std::optional(renewed.error().code);
  };
  EXPECT_EQ(code("b", revision), ErrorCode::conflict);
  EXPECT_EQ(code("a", revision - 1), ErrorCode::conflict);
  EXPECT_FALSE(get(store->canaries().may_serve(id)));
  EXPECT_EQ(code("a", revision), std::nullopt);
  EXPECT_TRUE(get(store->canaries().may_serve(id)));
}

TEST_F(CanaryControllerTest, OneThatGetsNothingOfItsShareIsDown) {
  // It crashes before it has served anything, again and again: no counter of it ever falls.
  const std::string id = begin();
  pass(45);
  service.harm.refused = true;
  EXPECT_TRUE(reaches(id, CanaryState::rolled_back, 40)) << view(id).status.reason;
  EXPECT_NE(view(id).status.reason.find("unreached"), std::string::npos) << view(id).status.reason;
}

TEST_F(CanaryControllerTest, OneThatWasDrainedWithoutACoordinatorIsNotDown) {
  const std::string id = begin();
  pass(45);
  service.harm.refused = true;
  for (int i = 0; i < 40; ++i) {
    service.serve();
  }
  service.harm.refused = false;
  restart("b");
  sql("UPDATE canaries SET owner_until = now() - interval '1 second'");
  pass(30);
  EXPECT_EQ(state(id), CanaryState::ramping) << view(id).status.reason;
  EXPECT_EQ(view(id).status.lost_windows, 0);
}

TEST_F(CanaryControllerTest, LosesItsLeaseWithPrometheusOrTraffic) {
  const std::string id = begin();
  pass(15);
  const auto lease_runs_out = [&] {
    sql("UPDATE canaries SET serving_until = now() - interval '1 second'");
    EXPECT_FALSE(get(store->canaries().may_serve(id))) << "its time is over";
  };
  ASSERT_TRUE(get(store->canaries().may_serve(id)));
  service.unreachable = true;
  pass(15);
  EXPECT_FALSE(last);
  EXPECT_EQ(state(id), CanaryState::ramping);
  lease_runs_out();
  pass(1);
  EXPECT_FALSE(get(store->canaries().may_serve(id))) << "nobody knows how it does";
  service.unreachable = false;
  pass(1);
  EXPECT_TRUE(get(store->canaries().may_serve(id)));
  service.traffic_fails = true;
  pass(2);
  EXPECT_FALSE(last);
  EXPECT_FALSE(view(id).follows);
  lease_runs_out();
  pass(1);
  EXPECT_FALSE(get(store->canaries().may_serve(id))) << "traffic may be anything";
  service.traffic_fails = false;
  pass(2);
  EXPECT_TRUE(view(id).follows);
  EXPECT_TRUE(get(store->canaries().may_serve(id)));
}

TEST_F(CanaryControllerTest, OneCanaryOfAServicesTraffic) {
  const std::string id = begin();
  const Result<CanaryView> rival = begin_other(view(id).service);
  ASSERT_FALSE(rival) << "both would set the same weights";
  EXPECT_EQ(rival.error().code, ErrorCode::conflict);
  get(store->canaries().change(
      id, [](CanaryStatus status) { return ended_by_hand(std::move(status), "ann", "lunch"); }));
  EXPECT_TRUE(begin_other(view(id).service));
}

TEST_F(CanaryControllerTest, OfTwoBegunAtOnceOneIsRefused) {
  const auto end = [this](const std::string& id) {
    get(store->canaries().change(
        id, [](CanaryStatus status) { return ended_by_hand(std::move(status), "ann", "lunch"); }));
  };
  const std::string first = begin();
  ASSERT_FALSE(begin_other(view(first).service));
  end(first);
  // The first rounds may still be connecting, one after the other.
  for (int round = 0; round < 10; ++round) {
    std::vector<std::string> begun;
    int left = 2;
    for (const std::string target : {"shop", "other"}) {
      CanarySpec spec;
      spec.target = target;
      spec.policy_version = 1;
      boost::asio::co_spawn(context, store->canaries().create(std::move(spec), token),
                            [&](std::exception_ptr, Result<CanaryView> made) {
                              if (made) {
                                begun.push_back(made->id);
                              }
                              --left;
                            });
    }
    context.restart();
    while (left > 0 && context.run_one() > 0) {
    }
    ASSERT_EQ(begun.size(), 1U) << "both would set the same weights";
    end(begun.front());
  }
}

}  // namespace
}  // namespace hone::test
