// Canaries from their beginning to their end, with a real store and a made-up service.
#include "server/canaries/canary_controller.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "common/policy/policy_json.h"
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
    Policy policy;
    policy.target = "shop";
    NewPolicy published;
    published.target = "shop";
    published.document = dump_json(policy_to_json(policy));
    get(store->policies().publish(std::move(published)));
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
  // A coordinator, in place of the one before.
  void restart(const std::string& owner) {
    CanaryWorld world;
    world.now = [this] { return service.now; };
    world.metrics = [this](const ServiceSpec&) { return std::make_unique<FakeMetrics>(service); };
    world.traffic = [this](const TrafficPlace&) { return std::make_unique<FakeTraffic>(service); };
    controller = std::make_unique<CanaryController>(*store, std::move(world), owner);
  }
  std::string begin(RampPlan ramp = {.steps = {5, 50}, .step_windows = 3, .most_windows = 60}) {
    CanarySpec spec;
    spec.target = "shop";
    spec.policy_version = 1;
    spec.ramp = std::move(ramp);
    return get(store->canaries().create(std::move(spec), token)).id;
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
}

TEST_F(CanaryControllerTest, ACrashedCanaryIsWithdrawnWithinThreeWindows) {
  const std::string id = begin();
  pass(30);
  service.harm.down = true;
  EXPECT_TRUE(reaches(id, CanaryState::rolled_back, 40)) << view(id).status.reason;
  EXPECT_NE(view(id).status.reason.find("down"), std::string::npos) << view(id).status.reason;
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
  service.unreachable = true;
  pass(15);
  EXPECT_FALSE(last);
  EXPECT_EQ(state(id), CanaryState::ramping);
  service.unreachable = false;
  service.traffic_fails = true;
  pass(2);
  EXPECT_FALSE(last);
  EXPECT_FALSE(view(id).follows);
  service.traffic_fails = false;
  pass(2);
  EXPECT_TRUE(view(id).follows);
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
