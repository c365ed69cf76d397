// Canaries as they are asked for.
#include "common/protocol/canary_spec.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

Json full() {
  return {{"target", "shop"},
          {"policy_version", 3},
          {"rules", Json::array({{{"sli", "latency_p95"}, {"tolerance", 0.1}, {"floor", 0.02}}})},
          {"ramp",
           {{"steps", {2, 20}},
            {"step_windows", 5},
            {"most_windows", 50},
            {"most_lost", 3},
            {"most_waiting", 70},
            {"approval", "by_hand"}}}};
}

Pointers refused_of(const std::string& pointer, const Json& value) {
  return refused(parse_canary_spec(with(full(), pointer, value), UnknownKeys::refuse));
}

TEST(CanarySpec, ReadsWhatItWrites) {
  const Result<CanarySpec> spec = parse_canary_spec(full(), UnknownKeys::refuse);
  ASSERT_TRUE(spec.has_value()) << spec.error().describe();
  EXPECT_EQ(spec->ramp.steps, (std::vector<int>{2, 20}));
  EXPECT_EQ(*parse_canary_spec(to_json(*spec), UnknownKeys::refuse), *spec);
}

TEST(CanarySpec, HasDefaults) {
  Json document = full();
  document.erase("rules");
  document.erase("ramp");
  const Result<CanarySpec> spec = parse_canary_spec(document, UnknownKeys::refuse);
  ASSERT_TRUE(spec.has_value()) << spec.error().describe();
  EXPECT_EQ(spec->rules.size(), std::size(kSlis));
  EXPECT_EQ(spec->ramp, RampPlan{});
}

TEST(CanarySpec, NamesTheFieldThatIsWrong) {
  const Json rule = full()["rules"][0];
  EXPECT_EQ(refused_of("/policy_version", 0), Pointers{"/policy_version"});
  EXPECT_EQ(refused_of("/policy_version", 1'000'000'001), Pointers{"/policy_version"});
  EXPECT_EQ(refused_of("/rules", Json::array()), Pointers{"/rules"});
  EXPECT_EQ(refused_of("/rules", Json::array({rule, rule})), Pointers{"/rules/1/sli"});
  EXPECT_EQ(refused_of("/rules/0/tolerance", 0),
            (Pointers{"/rules/0/floor", "/rules/0/tolerance"}));
  EXPECT_EQ(refused_of("/rules/0/floor", 0.2), Pointers{"/rules/0/floor"});
  for (const Json& steps : {Json::array(), Json{0}, Json{100}, Json{5, 5}, Json{5, 1}, Json{1.5}}) {
    EXPECT_EQ(refused_of("/ramp/steps", steps), Pointers{"/ramp/steps"}) << steps.dump();
  }
  EXPECT_EQ(refused_of("/ramp/step_windows", 51), Pointers{"/ramp/most_windows"});
  EXPECT_EQ(refused_of("/ramp/approval", "nobody"), Pointers{"/ramp/approval"});
}

}  // namespace
}  // namespace hone
