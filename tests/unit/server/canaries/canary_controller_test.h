// A store, a made-up service and the coordinator that watches its canaries. Not thread safe.
#pragma once

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "common/policy/policy_json.h"
#include "server/canaries/budget_watch.h"
#include "server/canaries/canary_controller.h"
#include "server/canaries/canary_machine.h"
#include "server/store/pg/pg_connection.h"
#include "tests/support/database.h"
#include "tests/unit/server/canaries/fake_service.h"

namespace hone::test {

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
    world.reward_failed = [this](bool passing) { ++(passing ? passing_failures : refusals); };
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
  int passing_failures = 0;  // of rewards that were to be stored
  int refusals = 0;
};

}  // namespace hone::test
