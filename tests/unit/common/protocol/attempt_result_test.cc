#include "common/protocol/attempt_result.h"

#include <limits>

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

AttemptResult full_result() {
  AttemptResult result;
  result.outcome = Outcome::ok;
  result.verdict = Verdict::faster;
  result.reward = RewardEstimate{0.021, 0.011, 0.031, 0.95, 48, 0.008, 0.012};
  result.reused_attempt = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  result.samples = {{0, 1, 0, 3, "text", Metric::cpu_time, SampleRole::baseline, 0.211},
                    {0, 0, 0, 4, "", Metric::peak_rss_bytes, SampleRole::candidate, 4096}};
  result.decisions = {{"lib/lz4.c", "lz4.o", std::string(64, 'c'), "abc", true, true, "", -0.25},
                      {"lib/x.c", "x.o", "", "", false, true, "coroutines", std::nullopt}};
  result.binaries = {{"lz4", std::string(64, 'd'), 1000, 400}};
  result.baseline_binaries = {{"lz4", std::string(64, 'e'), 1001, 401}};
  result.machine = {"host", "cpu", 2, 23000, "6.1"};
  result.toolchain = {"clang 19.1.7", std::string(64, 'f'), "0.1.0", "ld"};
  result.build_seconds = 3.5;
  result.baseline_build_seconds = 4.25;
  result.measure_seconds = 12;
  result.links = 8;
  result.layout_sigma = 0.004;
  result.self_check =
      SelfCheck{Verdict::no_change, {-0.001, -0.004, 0.003, 0.95, 16, 0.005, 0.006}, 1.25};
  result.profile = SourceProfile{"", {{"lib/lz4hc.c", 0.75}, {"lib/lz4.c", 0.125}}};
  result.log = "tail\n";
  result.warnings = {"outliers on one side"};
  return result;
}

Pointers reading(const Json& document) {
  return refused(parse_attempt_result(document, UnknownKeys::ignore));
}

TEST(AttemptResult, RoundTrips) {
  const AttemptResult result = full_result();
  const Result<AttemptResult> back = parse_attempt_result(to_json(result), UnknownKeys::refuse);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(*back, result);
}

TEST(AttemptResult, FailureHasReasonAndNoReward) {
  Json failed{{"outcome", "build_failed"}, {"reason", "a.c:1: error"}};
  EXPECT_EQ(reading(failed), Pointers{"(accepted)"});
  EXPECT_EQ(reading(with(failed, "/reason", nullptr)), Pointers{"/reason"});
  failed["reward"] = to_json(full_result())["reward"];
  failed["verdict"] = "faster";
  EXPECT_EQ(reading(failed), (Pointers{"/reward", "/verdict"}));
}

TEST(AttemptResult, MeasurementHasAVerdictAndWhatStandsBehindIt) {
  EXPECT_EQ(reading(Json{{"outcome", "ok"}}), Pointers{"/verdict"});
  EXPECT_EQ(reading(Json{{"outcome", "ok"}, {"verdict", "no_change"}}), Pointers{"(accepted)"});
  EXPECT_EQ(reading(Json{{"outcome", "ok"}, {"verdict", "too_noisy"}}), Pointers{"/reward"});
  Json good = to_json(full_result());
  good["samples"] = Json::array();
  EXPECT_EQ(reading(good), Pointers{"(accepted)"});
  good["reused_attempt"] = nullptr;
  EXPECT_EQ(reading(good), Pointers{"/samples"});
}

TEST(AttemptResult, AVerdictAndItsRewardPointTheSameWay) {
  Json result = to_json(full_result());
  const auto with_value = [&](const char* verdict, double value) {
    result["verdict"] = verdict;
    result["reward"]["value"] = value;
    result["reward"]["low"] = value - 0.01;
    result["reward"]["high"] = value + 0.01;
    return reading(result);
  };
  EXPECT_EQ(with_value("faster", 0), Pointers{"/verdict"});
  EXPECT_EQ(with_value("faster", -0.02), Pointers{"/verdict"});
  EXPECT_EQ(with_value("slower", 0), Pointers{"/verdict"});
  EXPECT_EQ(with_value("slower", 0.02), Pointers{"/verdict"});
  // The interval may reach beyond 0, at the edge.
  EXPECT_EQ(with_value("faster", 0.005), Pointers{"(accepted)"});
  EXPECT_EQ(with_value("slower", -0.005), Pointers{"(accepted)"});
  EXPECT_EQ(with_value("within_noise", 0.02), Pointers{"(accepted)"});
  EXPECT_EQ(with_value("inconclusive", -0.02), Pointers{"(accepted)"});
}

TEST(AttemptResult, InvariantsAreRefusedByPointer) {
  const Json good = to_json(full_result());
  const std::vector<std::pair<Json, std::string>> cases = {
      {with(good, "/outcome", nullptr), "/outcome"},
      {with(good, "/outcome", "great"), "/outcome"},
      {with(good, "/verdict", "best"), "/verdict"},
      {with(good, "/verdict", nullptr), "/verdict"},
      {with(good, "/reward", nullptr), "/reward"},
      {with(good, "/reward/low", 0.5), "/reward/value"},
      {with(good, "/reward/high", 0.0), "/reward/value"},
      {with(good, "/reward/value", nullptr), "/reward/value"},
      {with(good, "/reward/confidence", 1), "/reward/confidence"},
      {with(good, "/reward/pairs", 0), "/reward/pairs"},
      {with(good, "/reward/noise", -1), "/reward/noise"},
      {with(good, "/samples/0/value", 0), "/samples/0/value"},
      {with(good, "/samples/0/value", -1), "/samples/0/value"},
      {with(good, "/samples/1/value", "1"), "/samples/1/value"},
      {with(good, "/samples/0/position", 2), "/samples/0/position"},
      {with(good, "/samples/0/pair", 0.5), "/samples/0/pair"},
      {with(good, "/samples/0/role", "other"), "/samples/0/role"},
      {with(good, "/samples/0/metric", "watts"), "/samples/0/metric"},
      {with(good, "/decisions/0/log_propensity", 0.1), "/decisions/0/log_propensity"},
      {with(good, "/decisions/0/state_id", "xyz"), "/decisions/0/state_id"},
      {with(good, "/decisions/1/tuned", nullptr), "/decisions/1/tuned"},
      {with(good, "/binaries/0/sha256", nullptr), "/binaries/0/sha256"},
      {with(good, "/log", std::string(65537, 'x')), "/log"},
      {with(good, "/reason", std::string(kMaxReasonBytes + 1, 'x')), "/reason"},
      {with(good, "/build_seconds", -1), "/build_seconds"},
      {with(good, "/links", 0), "/links"},
      {with(good, "/layout_sigma", -0.1), "/layout_sigma"},
      {with(good, "/self_check/verdict", "fine"), "/self_check/verdict"},
      {with(good, "/self_check/baseline_value", 0), "/self_check/baseline_value"},
      {with(good, "/self_check/reward/high", -1), "/self_check/reward/value"},
      {with(good, "/profile/files/0/share", 1.5), "/profile/files/0/share"},
      {with(good, "/profile/files", Json::array()), "/profile/files"},
      {with(good, "/profile/why_none", "no valgrind"), "/profile/files"},
  };
  for (const auto& [document, pointer] : cases) {
    EXPECT_EQ(reading(document), Pointers{pointer}) << pointer;
  }
}

TEST(AttemptResult, NumbersThatAreNotFiniteDoNotPass) {
  AttemptResult result = full_result();
  result.reward->noise = std::numeric_limits<double>::infinity();
  result.samples[0].value = std::numeric_limits<double>::quiet_NaN();
  // JSON has no such numbers: they are written as null, and null is missing.
  const Result<Json> sent = parse_json(dump_json(to_json(result)));
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(reading(*sent), (Pointers{"/reward/noise", "/samples/0/value"}));
}

// Single precision, in which the store shows them, has no number as small.
TEST(AttemptResult, WhatIsNearerToZeroThanAnyMeasurementIsZero) {
  Json document = to_json(full_result());
  document["verdict"] = "no_change";  // faster by nothing is none
  document["reward"]["noise"] = 5e-324;
  document["reward"]["low"] = -1e-19;
  document["reward"]["value"] = 1e-19;
  document["build_seconds"] = 1e-300;
  const Result<AttemptResult> read = parse_attempt_result(document, UnknownKeys::refuse);
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_EQ(read->reward->noise, 0);
  EXPECT_EQ(read->reward->low, 0);
  EXPECT_EQ(read->reward->value, 0);
  EXPECT_EQ(read->build_seconds, 0);
}

TEST(AttemptResult, AWorkerOfBeforeMeasuredOneLink) {
  Json older = to_json(full_result());
  older.erase("links");
  older.erase("layout_sigma");
  older.erase("self_check");
  older.erase("profile");
  const Result<AttemptResult> read = parse_attempt_result(older, UnknownKeys::ignore);
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_EQ(read->links, 1);
  EXPECT_EQ(read->layout_sigma, 0);
  EXPECT_FALSE(read->self_check.has_value());
  EXPECT_FALSE(read->profile.has_value());
}

TEST(AttemptResult, NewerFieldsAreIgnoredBetweenPrograms) {
  const Json newer = with(to_json(full_result()), "/samples/0/frequency", 3.1);
  EXPECT_EQ(reading(newer), Pointers{"(accepted)"});
  EXPECT_EQ(refused(parse_attempt_result(newer, UnknownKeys::refuse)),
            Pointers{"/samples/0/frequency"});
}

}  // namespace
}  // namespace hone
