#include "build_integration/cli/bench_options.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// The refusal's message; "" if the options are taken.
std::string refusal(BenchOptions options) {
  const Result<void> checked = check_bench(options);
  if (!checked) {
    EXPECT_EQ(checked.error().code, ErrorCode::invalid_argument);
  }
  return checked ? "" : checked.error().message;
}

TEST(BenchOptions, AToleranceIsRelativeAndAbsolute) {
  const auto read = [](const std::string& text) {
    BenchOptions options;
    options.tolerance = text;
    EXPECT_TRUE(check_bench(options).has_value()) << text;
    EXPECT_TRUE(options.bench.compared.whole);
    EXPECT_EQ(benchmark_of(options).tolerance, options.allowed);
    return options.allowed.value_or(Tolerance{9, 9});
  };
  EXPECT_EQ(read("1e-9"), (Tolerance{1e-9, 0}));
  EXPECT_EQ(read("0,1e-6"), (Tolerance{0, 1e-6}));
  for (const char* bad :
       {"x", "1e-9x", "1e-9,", ",1", "1,2,3", "-1", "0.6", "nan", "0,inf", "0 ,1"}) {
    BenchOptions options;
    options.tolerance = bad;
    EXPECT_NE(refusal(options).find("--tolerance " + std::string(bad)), std::string::npos) << bad;
  }
}

TEST(BenchOptions, WhatIsComparedIsWhatATargetWouldSay) {
  BenchOptions options;
  options.bench.compared.files = {"out/*"};
  options.bench.compared.standard_error = true;
  options.bench.checks = {"-n 3"};
  options.any_output = true;
  ASSERT_TRUE(check_bench(options).has_value());
  EXPECT_FALSE(options.bench.compared.whole);
  const BenchmarkSpec benchmark = benchmark_of(options);
  EXPECT_FALSE(benchmark.compare_output);
  EXPECT_TRUE(benchmark.compare_stderr);
  EXPECT_EQ(benchmark.outputs, std::vector<std::string>{"out/*"});
  ASSERT_EQ(benchmark.checks.size(), 1U);
  EXPECT_EQ(benchmark.checks[0].name, "-n 3");
  EXPECT_FALSE(benchmark.checks[0].compare_output);
}

TEST(BenchOptions, MistakesAreNamedByTheirOption) {
  BenchOptions options;
  options.bench.compared.files = {"../out"};
  EXPECT_NE(refusal(options).find("--output ../out"), std::string::npos);
  options.bench.compared.files.clear();
  options.any_output = true;
  options.tolerance = "1e-9";
  EXPECT_NE(refusal(options).find("no output is compared"), std::string::npos);
  options.tolerance.clear();
  options.metric.name = "compile_time";
  EXPECT_NE(refusal(options).find("--metric compile_time"), std::string::npos);
  EXPECT_NE(refusal(options).find("measure the compile itself"), std::string::npos);
}

}  // namespace
}  // namespace hone
