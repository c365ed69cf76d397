#include "build_integration/cli/canary_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json reward(double value) {
  return {{"value", value}, {"low", value - 0.01}, {"high", value + 0.01}};
}

Json withdrawn() {
  return {
      {"id", "c-1"},
      {"target", "shop"},
      {"policy_version", 7},
      {"known_good", 6},
      {"policy_in_force", 6},
      {"campaign", "g-1"},
      {"candidate", "k-1"},
      {"log_propensity", -2.5},
      {"status",
       {{"state", "rolled_back"},
        {"share", 0},
        {"cause", "harm"},
        {"reason", "p95 | is worse\nby 20 %"}}},
      {"follows", true},
      {"windows", 2},
      {"judgement",
       {{"baseline_requests", 1000},
        {"canary_requests", 50},
        {"windows_left_out", Json::object()},
        {"slis",
         {{{"sli", "latency_p95"},
           {"baseline", 0.1},
           {"canary", 0.12},
           {"finding", "worse"},
           {"reward", reward(-0.18)},
           {"detectable", 0.05}}}}}},
      {"budget",
       {{"left_share", 0.5}, {"bad", 5}, {"requests", 1000}, {"bad_canary", 2}, {"allowed", 10}}},
      {"created_at", "2026-11-29T10:00:00Z"},
      {"created_by", "ann"},
      {"ended_at", "2026-11-29T10:05:00Z"},
      {"decisions",
       {{{"at", "2026-11-29T10:05:00Z"},
         {"state", "rolled_back"},
         {"share", 0},
         {"windows", 2},
         {"reason", "p95 | is worse"}}}},
      {"experience",
       {{"outcome", "ok"},
        {"reward", reward(-0.18)},
        {"staging", {{"stage", "confirm"}, {"baseline", "o3"}, {"reward", reward(0.05)}}},
        {"slis",
         {{{"sli", "latency_p95"},
           {"finding", "worse"},
           {"reward", reward(-0.18)},
           {"slo_reward", 0.7}}}}}},
      {"window_list",
       {{{"number", 0},
         {"start", 1000},
         {"share", 5},
         {"baseline",
          {{"outcome", "ok"}, {"requests", 950}, {"failures", 0}, {"cpu_seconds", 1.5}}},
         {"canary", {{"outcome", "scrape_gap"}}}}}}};
}

TEST(CanaryReport, HasTheWholeTrailInOnePage) {
  const std::string page = canary_markdown(withdrawn());
  for (const char* part :
       {"Candidate k-1 of campaign g-1, propensity: ln p = -2.5", "Compared with: version 6",
        "In force now: version 6, known to be good when the canary began",
        "| 2026-11-29T10:05:00Z | rolled_back | 0 % | 2 | p95 \\| is worse |",
        "Reward in production: -18.00 % [-19.00 %, -17.00 %]",
        "In staging: +5.00 % [+4.00 %, +6.00 %] (confirm, against o3). Cause: harm.",
        "| latency_p95 | -18.00 % [-19.00 %, -17.00 %] | +0.700 | worse |", "50.0 % left",
        "| 0 | 1000 | 5 % | 950 requests, 0 failed, 1.5 s of CPU | lost: scrape_gap |"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(CanaryReport, SaysWhatIsNotKnownYet) {
  Json running = withdrawn();
  running["status"] = {{"state", "ramping"}, {"share", 5}, {"cause", nullptr}, {"reason", "5 %"}};
  for (const char* key : {"experience", "known_good", "policy_in_force", "campaign", "candidate",
                          "log_propensity", "budget"}) {
    running[key] = nullptr;
  }
  running.erase("window_list");
  const std::string page = canary_markdown(running);
  EXPECT_THAT(page, HasSubstr("Candidate none of campaign none, propensity: not known. Compared "
                              "with: the plain build. In force now: none (the plain build)."));
  EXPECT_THAT(page, HasSubstr("Reward in production: told when it has ended"));
  EXPECT_THAT(page, Not(HasSubstr("## Windows")));
  EXPECT_THAT(canary_text(running), HasSubstr("policy in force: none (the plain build)"));
  EXPECT_THAT(canary_text(running), HasSubstr("error budget: not known yet"));
  EXPECT_THAT(canary_text(withdrawn()), HasSubstr("policy in force: version 6"));
}

}  // namespace
}  // namespace hone
