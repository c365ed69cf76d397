#include "staging/counters/run_counter.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(RunCounter, WhatEveryMachineTellsNeedsNone) {
  for (const Metric metric :
       {Metric::cpu_time, Metric::wall_time, Metric::printed, Metric::peak_rss_bytes,
        Metric::text_bytes, Metric::binary_bytes, Metric::compile_time}) {
    const Result<std::unique_ptr<RunCounter>> counter = make_run_counter(metric, "");
    ASSERT_TRUE(counter.has_value());
    EXPECT_EQ(*counter, nullptr) << to_string(metric);
  }
}

TEST(RunCounter, OthersHaveOneOrTheReasonWhyNot) {
  for (const Metric metric :
       {Metric::instructions, Metric::hardware_instructions, Metric::cycles, Metric::energy}) {
    const Result<std::unique_ptr<RunCounter>> counter = make_run_counter(metric, "");
    if (counter) {
      EXPECT_NE(*counter, nullptr) << to_string(metric);
      continue;
    }
    EXPECT_EQ(counter.error().code, ErrorCode::unsupported);
    EXPECT_TRUE(counter.error().message.starts_with("metric " + std::string(to_string(metric)) +
                                                    ": this machine cannot measure it: "))
        << counter.error().message;
  }
}

TEST(RunCounter, EnergyIsRefusedWhereTheKernelShowsNone) {
  if (std::filesystem::exists("/sys/class/powercap/intel-rapl:0")) {
    GTEST_SKIP() << "this machine measures energy";
  }
  EXPECT_TRUE(make_run_counter(Metric::energy, "").has_error());
}

}  // namespace
}  // namespace hone
