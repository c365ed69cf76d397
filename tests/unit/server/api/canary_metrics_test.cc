// What Prometheus is told of canaries and budgets, as the store's gauges change.
#include "server/api/canary_metrics.h"

#include <prometheus/text_serializer.h>

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(CanaryMetrics, ATargetThatIsNoLongerToldHasNoOldValue) {
  prometheus::Registry registry;
  CanaryMetrics metrics(registry);
  const auto told = [&](const std::string& line) {
    const std::string text = prometheus::TextSerializer().Serialize(registry.Collect());
    return text.find("\n" + line) != std::string::npos;
  };
  CanaryGauges gauges;
  gauges.reward = {{"shop", 0.25}, {"till", -0.5}};
  gauges.budget_left = {{"shop", 0.75}};
  gauges.share = {{"shop", 5}};
  metrics.set(gauges);
  EXPECT_TRUE(told("hone_canary_reward{target=\"shop\"} 0.25\n"));
  EXPECT_TRUE(told("hone_error_budget_left_ratio{target=\"shop\"} 0.75\n"));
  EXPECT_TRUE(told("hone_canary_share_percent{target=\"shop\"} 5\n"));
  gauges.reward.erase("shop");
  gauges.budget_left.clear();
  gauges.share.clear();
  metrics.set(gauges);
  EXPECT_FALSE(told("hone_canary_reward{target=\"shop\"}"));
  EXPECT_TRUE(told("hone_canary_reward{target=\"till\"} -0.5\n"));
  EXPECT_FALSE(told("hone_error_budget_left_ratio{target"));
  EXPECT_TRUE(told("hone_canary_share_percent{target=\"shop\"} 0\n")) << "no traffic is known";
  gauges.reward["shop"] = 1;
  metrics.set(gauges);
  EXPECT_TRUE(told("hone_canary_reward{target=\"shop\"} 1\n"));
}

}  // namespace
}  // namespace hone
