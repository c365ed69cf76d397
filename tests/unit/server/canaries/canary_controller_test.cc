// Canaries from their beginning to their end, with a real store and a made-up service.
#include "server/canaries/canary_controller.h"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "common/policy/policy_json.h"
#include "server/canaries/budget_watch.h"
#include "server/canaries/canary_machine.h"
#include "server/store/pg/pg_connection.h"
#include "tests/support/database.h"
#include "tests/unit/server/canaries/fake_service.h"

namespace hone::test {
namespace {

class CanaryControllerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    url = new_migrated_database();
    StoreOptions options;
    options.database_url = url;
    store = get(Store::open(context.get_executor(), std::move(options)));
    token = get(store->tokens().create("admin", Role::admin)).view.id;
    TargetSpec target;
    target.name = "shop";
    target.build.commands = {{"make"}};
    target.benchmark.command = {"{build}/shop"};
    get(store->targets().put(std::move(target), token));
    publish();
    describe({});
    restart("a");
  }
  void TearDown() override { store->close(); }

  template <class T>
  T get(Async<T> work) {
    Result<T> result = run_on(context, std::move(work));
    if (!result) {
      throw std::runtime_error(result.error().describe());
    }
    return *std::move(result);
  }
  void describe(ServiceObjective objective) {
    ServiceSpec spec;
    spec.prometheus = "http://127.0.0.1:1";
    spec.group_label = "track";
    spec.baseline = "stable";
    spec.metrics.failures = "request_failures_total";
    spec.window_seconds = 10;
    spec.objective = objective;
    spec.objective.window_seconds = 60;
    spec.traffic.manifest = ManifestPlace{"/nowhere", "a", "b", "c", "d"};
    const Result<void> put = run_on(context, store->services().put("shop", spec, token));
    ASSERT_TRUE(put) << put.error().describe();
  }
  std::int64_t publish() {
    Policy policy;
    policy.target = "shop";
    NewPolicy published;
    published.target = "shop";
    published.document = dump_json(policy_to_json(policy));
    return get(store->policies().publish(std::move(published))).version;
  }
  // The version that builds are given; 0: none.
  std::int64_t in_force() {
    const Result<PolicyDocument> found = run_on(context, store->policies().find_promoted("shop"));
    return found ? found->version.version : 0;
  }
  Json only_experience() {
    const LinePage page = get(store->experiences().read({}));
    EXPECT_EQ(page.count, 1);
    return *parse_json(page.lines);
  }
  CanaryWorld world() {
    CanaryWorld world;
    world.now = [this] { return service.now; };
    world.metrics = [this](const ServiceSpec&) { return std::make_unique<FakeMetrics>(service); };
    world.traffic = [this](const TrafficPlace&) { return std::make_unique<FakeTraffic>(service); };
    return world;
  }
  // A coordinator, in place of the one before.
  void restart(const std::string& owner) {
    controller =
        std::make_unique<CanaryController>(*store, world(), owner, std::chrono::minutes(1));
  }
  std::string begin(RampPlan ramp = {.steps = {5, 50}, .step_windows = 3, .most_windows = 60},
                    std::int64_t version = 1) {
    CanarySpec spec;
    spec.target = "shop";
    spec.policy_version = version;
    spec.ramp = std::move(ramp);
    return get(store->canaries().create(std::move(spec), token)).id;
  }
  // A canary of another target that is served like this.
  Result<CanaryView> begin_other(const ServiceSpec& spec) {
    TargetSpec target;
    target.name = "other";
    target.build.commands = {{"make"}};
    target.benchmark.command = {"{build}/other"};
    get(store->targets().put(std::move(target), token));
    Policy policy;
    policy.target = "other";
    NewPolicy published;
    published.target = "other";
    published.document = dump_json(policy_to_json(policy));
    get(store->policies().publish(std::move(published)));
    HONE_CHECK(run_on(context, store->services().put("other", spec, token)));
    CanarySpec canary;
    canary.target = "other";
    canary.policy_version = 1;
    return run_on(context, store->canaries().create(std::move(canary), token));
  }
  // Serves and looks, second by second.
  void pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      service.serve();
      last = run_on(context, controller->tick());
    }
  }
  void sql(const std::string& text) {
    PgConnectOptions options;
    options.url = url;
    auto connection = run_on(context, PgConnection::connect(context.get_executor(), options));
    ASSERT_TRUE(connection);
    const PgOutcome<PgResult> result = run_on(context, (*connection)->run(text));
    ASSERT_TRUE(result) << result.error().message;
  }
  CanaryView view(const std::string& id) { return get(store->canaries().find(id)); }
  CanaryState state(const std::string& id) { return view(id).status.state; }
  // Until the canary is in that state, or a while has passed.
  bool reaches(const std::string& id, CanaryState wanted, int seconds = 900) {
    for (int i = 0; i < seconds && state(id) != wanted; ++i) {
      pass(1);
    }
    return state(id) == wanted;
  }

  boost::asio::io_context context;
  std::string url;
  std::unique_ptr<Store> store;
  std::string token;
  FakeService service;
  std::unique_ptr<CanaryController> controller;
  Result<void> last;
};

TEST_F(CanaryControllerTest, AnEqualCanaryIsPromotedStepByStep) {
  const std::string id = begin();
  EXPECT_FALSE(get(store->canaries().may_serve(id)));
  pass(2);
  EXPECT_EQ(service.share, 5);
  EXPECT_TRUE(get(store->canaries().may_serve(id)));
  ASSERT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
  pass(2);
  EXPECT_EQ(service.share, 100);
  std::vector<int> shares;
  for (const CanaryDecision& decision : get(store->canaries().decisions(id))) {
    shares.push_back(decision.share);
    EXPECT_FALSE(decision.reason.empty());
  }
  EXPECT_EQ(shares, (std::vector<int>{5, 50, 50, 100}));
  EXPECT_TRUE(view(id).follows);
}

TEST_F(CanaryControllerTest, AHarmfulOneIsWithdrawnAndTeaches) {
  const std::string id = begin();
  pass(20);
  service.harm.latency = 1.5;
  ASSERT_TRUE(reaches(id, CanaryState::rolled_back)) << view(id).status.reason;
  EXPECT_NE(view(id).status.reason.find("worse"), std::string::npos);
  pass(2);
  EXPECT_EQ(service.share, 0);
  EXPECT_FALSE(get(store->canaries().may_serve(id)));
  const LinePage page = get(store->experiences().read({}));
  ASSERT_EQ(page.count, 1);
  const Json line = *parse_json(page.lines);
  EXPECT_EQ(line["source"], "production");
  EXPECT_EQ(line["outcome"], "ok");
  EXPECT_EQ(line["verdict"], "slower");
  EXPECT_LT(line["reward"]["high"].get<double>(), 0);
  EXPECT_EQ(line["slis"].size(), std::size(kSlis));
  EXPECT_EQ(line["slis"][1]["finding"], "worse");
  const double error =
      (line["reward"]["high"].get<double>() - line["reward"]["low"].get<double>()) / 3.919928;
  EXPECT_NEAR(line["weight"].get<double>() * error * error, 1, 0.01);
}

TEST_F(CanaryControllerTest, ACrashedCanaryIsWithdrawnWithinThreeWindows) {
  const std::string id = begin();
  pass(30);
  service.harm.down = true;
  EXPECT_TRUE(reaches(id, CanaryState::rolled_back, 40)) << view(id).status.reason;
  EXPECT_NE(view(id).status.reason.find("down"), std::string::npos) << view(id).status.reason;
}

TEST_F(CanaryControllerTest, APromotionPutsItsPolicyInForce) {
  get(store->policies().promote("shop", 1));
  const std::string id =
      begin({.steps = {5, 50}, .step_windows = 3, .most_windows = 60}, publish());
  EXPECT_EQ(view(id).known_good, 1);
  pass(5);
  EXPECT_EQ(in_force(), 1) << "while it is tried";
  ASSERT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
  EXPECT_EQ(in_force(), 2);
  EXPECT_EQ(view(id).policy_in_force, 2);
  AuditFilter filter;
  filter.action = "policy.promote";
  const Page<AuditView> log = get(store->audit().list(filter, {}));
  ASSERT_EQ(log.items.size(), 1U) << "as if somebody had done it";
  EXPECT_TRUE(log.items[0].token.empty()) << "honed did";
  EXPECT_EQ(parse_json(log.items[0].entry.after)->at("canary"), id);
  EXPECT_EQ(parse_json(log.items[0].entry.before)->at("promoted"), 1);
  pass(2);
  const Json line = only_experience();
  EXPECT_EQ(line["known_good"]["version"], 1);
  EXPECT_EQ(line["policy_version"], 2);
  // What is older than what is in force could not be promoted: it does not begin.
  CanarySpec older;
  older.target = "shop";
  older.policy_version = 1;
  const Result<CanaryView> refused = run_on(context, store->canaries().create(older, token));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
}

TEST_F(CanaryControllerTest, HoweverElseItEndsTheKnownGoodPolicyStays) {
  get(store->policies().promote("shop", 1));
  const std::string harmful = begin({.steps = {5, 50}, .step_windows = 3}, publish());
  pass(20);
  service.harm.latency = 1.5;
  ASSERT_TRUE(reaches(harmful, CanaryState::rolled_back)) << view(harmful).status.reason;
  EXPECT_EQ(in_force(), 1);
  EXPECT_EQ(view(harmful).status.cause, CanaryCause::harm);
  pass(2);
  EXPECT_EQ(only_experience()["cause"], "harm");
  service.harm = {};
  const std::string ended = begin({.steps = {5, 50}, .step_windows = 3}, 2);
  pass(5);
  get(store->canaries().change(
      ended, [](CanaryStatus status) { return ended_by_hand(std::move(status), "ann", "lunch"); }));
  pass(2);
  EXPECT_EQ(in_force(), 1);
  EXPECT_EQ(view(ended).status.cause, CanaryCause::by_hand);
}

TEST_F(CanaryControllerTest, WhatMayNotBePutInForceWaits) {
  get(store->policy_keys().require_signatures("shop", true));
  const std::string id = begin();
  ASSERT_TRUE(reaches(id, CanaryState::judged)) << view(id).status.reason;
  pass(25);
  EXPECT_EQ(state(id), CanaryState::judged);
  EXPECT_NE(view(id).status.reason.find("not signed"), std::string::npos) << view(id).status.reason;
  EXPECT_EQ(get(store->canaries().decisions(id)).back().reason, view(id).status.reason);
  const CanaryChange approve = [](CanaryStatus status) {
    return approved(std::move(status), "ann");
  };
  const Result<CanaryView> changed = run_on(context, store->canaries().change(id, approve));
  ASSERT_FALSE(changed) << "by hand neither";
  EXPECT_EQ(changed.error().code, ErrorCode::conflict);
  EXPECT_EQ(state(id), CanaryState::judged) << "both, or neither";
  EXPECT_EQ(in_force(), 0);
  get(store->policy_keys().require_signatures("shop", false));
  ASSERT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
  EXPECT_EQ(in_force(), 1);
}

TEST_F(CanaryControllerTest, ABudgetThatIsSpentMeanwhileEndsItInTheNextDecision) {
  describe({.good_share = 0.99});
  get(store->policies().promote("shop", 1));
  const std::string id =
      begin({.steps = {5, 50}, .step_windows = 3, .most_windows = 60}, publish());
  pass(15);
  ASSERT_EQ(state(id), CanaryState::ramping);
  service.everywhere.failures =
      0.5;   // nobody's fault, and the canary's no more than the baseline's
  pass(12);  // a window, and until its last scrape is there
  EXPECT_EQ(state(id), CanaryState::rolled_back) << view(id).status.reason;
  EXPECT_EQ(view(id).status.cause, CanaryCause::budget);
  service.everywhere = {};
  // Nothing else is tried or put in force: what builds are given is what is known to be good.
  const std::string next = begin({.steps = {5, 50}, .step_windows = 3, .most_windows = 60}, 2);
  pass(12);
  EXPECT_EQ(state(next), CanaryState::prepared);
  const Result<PolicyVersion> by_hand = run_on(context, store->policies().promote("shop", 2));
  ASSERT_FALSE(by_hand);
  EXPECT_NE(by_hand.error().message.find("budget"), std::string::npos) << by_hand.error().message;
  EXPECT_EQ(in_force(), 1);
  EXPECT_TRUE(reaches(next, CanaryState::ramping, 90)) << "the window has moved on";
  EXPECT_TRUE(run_on(context, store->policies().promote("shop", 2)));
}

TEST_F(CanaryControllerTest, ACanarysBudgetIsOfTheServiceAsItWasDescribed) {
  const std::string id = begin();
  pass(15);
  EXPECT_FALSE(get(store->services().list({}, {})).items.front().budget.is_null());
  describe({.good_share = 0.99});
  pass(15);
  ASSERT_EQ(state(id), CanaryState::ramping);
  EXPECT_TRUE(get(store->services().list({}, {})).items.front().budget.is_null())
      << "it is asked by the objective of before";
}

TEST_F(CanaryControllerTest, ABudgetThatNobodyKnowsWithdrawsIt) {
  const std::string id = begin();
  pass(15);
  ASSERT_EQ(state(id), CanaryState::ramping);
  service.budget_unreachable = true;
  pass(20);
  EXPECT_FALSE(last);
  EXPECT_EQ(state(id), CanaryState::ramping) << "for a while it is asked for again";
  ASSERT_TRUE(reaches(id, CanaryState::rolled_back, 80)) << view(id).status.reason;
  EXPECT_EQ(view(id).status.cause, CanaryCause::budget);
  EXPECT_NE(view(id).status.reason.find("nobody knows"), std::string::npos);
  pass(1);
  EXPECT_EQ(service.share, 0);
}

TEST_F(CanaryControllerTest, BudgetsAreWatchedWithoutACanary) {
  describe({.good_share = 0.99});
  service.everywhere.failures = 0.5;
  for (int i = 0; i < 30; ++i) {
    service.serve();
  }
  BudgetWatch watch(*store, world());
  const auto listed = [&] { return get(store->services().list({}, {})).items.front(); };
  EXPECT_TRUE(listed().budget.is_null());
  service.unreachable = true;
  get(watch.tick());
  EXPECT_TRUE(listed().budget.is_null()) << "not told is not known";
  sql("UPDATE services SET asked_at = NULL");
  service.unreachable = false;
  get(watch.tick());
  EXPECT_TRUE(listed().budget["spent"].get<bool>());
  EXPECT_FALSE(listed().budget_at.empty());
  EXPECT_EQ(get(store->operations().canary_gauges()).budgets_spent, 1);
  service.everywhere = {};
  for (int i = 0; i < 70; ++i) {
    service.serve();
  }
  get(watch.tick());
  EXPECT_TRUE(listed().budget["spent"].get<bool>()) << "asked for a moment ago";
  sql("UPDATE services SET asked_at = now() - interval '1 minute'");
  get(watch.tick());
  EXPECT_FALSE(listed().budget["spent"].get<bool>());
  describe({});
  EXPECT_TRUE(listed().budget.is_null()) << "another objective, another budget";
}

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

TEST_F(CanaryControllerTest, ASpentBudgetStopsItAndComesBack) {
  describe({.good_share = 0.99});
  service.harm.failures = 0.9;
  service.share = 50;  // failures before anything was tried
  for (int i = 0; i < 30; ++i) {
    service.serve();
  }
  service.share = 0;
  service.harm.failures = 0;
  const std::string id = begin();
  pass(25);
  EXPECT_EQ(state(id), CanaryState::prepared);
  EXPECT_NE(view(id).status.reason.find("budget"), std::string::npos);
  EXPECT_TRUE(view(id).budget["spent"].get<bool>());
  EXPECT_TRUE(reaches(id, CanaryState::ramping, 60)) << "the window has moved on";
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

TEST_F(CanaryControllerTest, AnotherCoordinatorGoesOn) {
  const std::string id = begin();
  pass(45);
  const std::int64_t windows = view(id).windows;
  ASSERT_GT(windows, 2);
  restart("b");
  pass(1);
  EXPECT_EQ(view(id).windows, windows) << "the first one still drives it";
  sql("UPDATE canaries SET owner_until = now() - interval '1 second'");
  service.share = 80;  // something moved traffic meanwhile
  pass(1);
  EXPECT_EQ(service.share, view(id).status.share);
  pass(20);
  EXPECT_GT(view(id).windows, windows);
  EXPECT_TRUE(reaches(id, CanaryState::promoted)) << view(id).status.reason;
}

TEST_F(CanaryControllerTest, IsEndedAndApprovedByHand) {
  const std::string ended = begin();
  pass(5);
  get(store->canaries().change(
      ended, [](CanaryStatus status) { return ended_by_hand(std::move(status), "ann", "lunch"); }));
  pass(2);
  EXPECT_EQ(service.share, 0);
  EXPECT_EQ(view(ended).status.reason, "ended by ann: lunch");
  const std::string judged = begin(
      {.steps = {5, 50}, .step_windows = 3, .most_windows = 60, .approval = Approval::by_hand});
  ASSERT_TRUE(reaches(judged, CanaryState::judged)) << view(judged).status.reason;
  pass(15);
  EXPECT_EQ(state(judged), CanaryState::judged);
  get(store->canaries().change(
      judged, [](CanaryStatus status) { return approved(std::move(status), "ann"); }));
  pass(2);
  EXPECT_EQ(service.share, 100);
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

TEST_F(CanaryControllerTest, OneCanaryATarget) {
  begin();
  CanarySpec spec;
  spec.target = "shop";
  spec.policy_version = 1;
  const Result<CanaryView> second = run_on(context, store->canaries().create(spec, token));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  spec.policy_version = 2;
  const Result<CanaryView> unknown = run_on(context, store->canaries().create(spec, token));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().fields.front().pointer, "/policy_version");
}

}  // namespace
}  // namespace hone::test
