// What compare() does with outputs, files and checks, on a fake bench.
#include <algorithm>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "tests/unit/staging/verdict/compared_benches.h"

namespace hone {
namespace {

TEST(Comparison, ADifferentOutputIsMiscompiledAndHasNoReward) {
  const Comparison result = compare_with([](SampleRole role, std::size_t, int) {
    return took(is_candidate(role) ? 0.1 : 1.0, is_candidate(role) ? "other" : "same");
  });
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_FALSE(result.verdict.has_value());
  EXPECT_FALSE(result.reward.has_value());
  EXPECT_NE(result.reason.find("candidate"), std::string::npos);
}

TEST(Comparison, TheOutputOfEveryRunIsChecked) {
  const Comparison result = compare_with([](SampleRole role, std::size_t, int count) {
    return took(1, is_candidate(role) && count == 9 ? "other" : "same");
  });
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_FALSE(result.samples.empty());
}

TEST(Comparison, ABaselineThatDisagreesWithItselfIsNondeterministic) {
  EXPECT_EQ(compare_with([](SampleRole, std::size_t, int count) {
              return took(1, std::to_string(count));
            }).outcome,
            Outcome::nondeterministic);
  EXPECT_EQ(compare_with([](SampleRole role, std::size_t, int count) {
              return took(1, !is_candidate(role) && count == 6 ? "other" : "same");
            }).outcome,
            Outcome::nondeterministic);
}

TEST(Comparison, ABenchmarkThatSeldomVariesIsNotTheCandidatesFault) {
  // Its first two runs agree by chance; later ones differ now and then, or fail, whoever runs.
  const auto unsteady = [](const BenchmarkRun& now_and_then) {
    return [=](SampleRole role, std::size_t, int count) {
      const bool odd = is_candidate(role) ? count == 0 : count == 5;
      return odd ? now_and_then : took(1);
    };
  };
  const Comparison varies = compare_with(unsteady(took(1, "other")));
  EXPECT_EQ(varies.outcome, Outcome::nondeterministic);
  EXPECT_NE(varies.reason.find("the candidate's standard output"), std::string::npos)
      << varies.reason;
  EXPECT_EQ(compare_with(unsteady(broke(RunClass::failed, "died"))).outcome,
            Outcome::benchmark_failed);
}

TEST(Comparison, TheExpectedOutputIsTheOwnersWord) {
  ComparisonPlan plan;
  plan.benchmark.inputs = {{.name = "a", .file = "a", .expected_output_sha256 = "right"}};
  EXPECT_EQ(
      compare_with([](SampleRole, std::size_t, int) { return took(1, "wrong"); }, plan).outcome,
      Outcome::baseline_failed);
  EXPECT_EQ(compare_with([](SampleRole role, std::size_t,
                            int) { return took(1, is_candidate(role) ? "wrong" : "right"); },
                         plan)
                .outcome,
            Outcome::miscompiled);
}

TEST(Comparison, OutputsMayDifferWhereTheTargetSaysSo) {
  ComparisonPlan plan;
  plan.benchmark.compare_output = false;
  int n = 0;
  EXPECT_EQ(
      compare_with([&](SampleRole, std::size_t, int) { return took(1, std::to_string(n++)); }, plan)
          .outcome,
      Outcome::ok);
}

// What a run writes besides standard output, made up by side and count.
FakeBench::Make writing(
    const std::function<std::vector<WrittenOutput>(bool candidate, int)>& make) {
  return [=](SampleRole role, std::size_t, int count) {
    BenchmarkRun run = took(1);
    for (WrittenOutput& output : make(is_candidate(role), count)) {
      run.outputs.push_back(std::move(output));
    }
    return run;
  };
}

WrittenOutput file(const std::string& name, const std::string& text) {
  return wrote(OutputKind::file, text, name);
}

TEST(Comparison, StandardErrorCountsWhereItIsAskedFor) {
  const auto make = writing([](bool candidate, int) {
    return std::vector{wrote(OutputKind::standard_error, candidate ? "warning" : "")};
  });
  EXPECT_EQ(compare_with(make).outcome, Outcome::ok);
  ComparisonPlan plan;
  plan.benchmark.compare_stderr = true;
  const Comparison result = compare_with(make, plan);
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("the candidate's standard error differs from the baseline's: line 1 "
                               "(from byte 0): 'warning', not the end"),
            std::string::npos)
      << result.reason;
}

TEST(Comparison, FilesAreComparedInEveryRun) {
  ComparisonPlan plan;
  plan.benchmark.outputs = {"sum.txt"};
  plan.benchmark.compare_output = false;
  const auto run = [&](int wrong_from) {
    return compare_with(writing([=](bool candidate, int count) {
                          const bool wrong = candidate && count >= wrong_from;
                          return std::vector{file("sum.txt", wrong ? "1\n3\n" : "1\n2\n")};
                        }),
                        plan);
  };
  EXPECT_EQ(run(1000).outcome, Outcome::ok);
  for (const int wrong_from : {0, 7}) {
    const Comparison result = run(wrong_from);
    EXPECT_EQ(result.outcome, Outcome::miscompiled);
    EXPECT_EQ(result.samples.empty(), wrong_from == 0);
    EXPECT_NE(result.reason.find("file 'sum.txt' differs from the baseline's: line 2 (from byte "
                                 "2): '3', not '2'"),
              std::string::npos)
        << result.reason;
  }
}

TEST(Comparison, AFileThatIsMissingOrThereBesideIsADifference) {
  ComparisonPlan plan;
  plan.benchmark.outputs = {"*.txt"};
  Comparison result = compare_with(writing([](bool candidate, int) {
                                     std::vector files = {file("a.txt", "1"), file("b.txt", "2")};
                                     files.resize(candidate ? 1 : 2);
                                     return files;
                                   }),
                                   plan);
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("file 'b.txt' differs from the baseline's: it is missing"),
            std::string::npos)
      << result.reason;
  result = compare_with(writing([](bool candidate, int) {
                          std::vector files = {file("a.txt", "1"), file("b.txt", "2")};
                          files.resize(candidate ? 2 : 1);
                          return files;
                        }),
                        plan);
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("file 'b.txt' differs"), std::string::npos) << result.reason;
}

TEST(Comparison, AFileThatVariesIsNondeterministic) {
  ComparisonPlan plan;
  plan.benchmark.outputs = {"log"};
  const Comparison result =
      compare_with(writing([](bool, int count) {
                     return std::vector{file("log", "run " + std::to_string(count))};
                   }),
                   plan);
  EXPECT_EQ(result.outcome, Outcome::nondeterministic);
  EXPECT_NE(result.reason.find("two runs of the baseline gave different outputs: file 'log', line "
                               "1 (from byte 4): 'run 1', not 'run 0'"),
            std::string::npos)
      << result.reason;
}

TEST(Comparison, AFileThatNoRunOfTheBaselineWritesIsAMistakeInTheTarget) {
  ComparisonPlan plan;
  plan.benchmark.outputs = {"sum.txt", "*.csv"};
  const Comparison result =
      compare_with(writing([](bool, int) { return std::vector{file("sum.txt", "1")}; }), plan);
  EXPECT_EQ(result.outcome, Outcome::benchmark_failed);
  EXPECT_NE(result.reason.find("'*.csv'"), std::string::npos) << result.reason;
}

TEST(Comparison, ATolerancePassesALastDigitInAllOutputs) {
  ComparisonPlan plan;
  plan.benchmark.outputs = {"sum"};
  plan.benchmark.compare_stderr = true;
  const auto make = [](bool everything) {
    return [=](SampleRole role, std::size_t, int) {
      BenchmarkRun run =
          took(1, is_candidate(role) && everything ? "mean 0.1234567890\n" : "mean 0.1234567891\n");
      run.outputs.push_back(
          wrote(OutputKind::standard_error, is_candidate(role) && everything ? "1e-9" : "1.0e-9"));
      run.outputs.push_back(file("sum", is_candidate(role) ? "5.0000000001" : "5"));
      return run;
    };
  };
  EXPECT_EQ(compare_with(make(true), plan).outcome, Outcome::miscompiled);
  EXPECT_EQ(compare_with(make(false), plan).outcome, Outcome::miscompiled);
  plan.benchmark.tolerance = Tolerance{1e-9, 0};
  EXPECT_EQ(compare_with(make(true), plan).outcome, Outcome::ok);
  plan.benchmark.tolerance = Tolerance{1e-11, 0};
  const Comparison result = compare_with(make(false), plan);
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("file 'sum' differs from the baseline's: line 1 (from byte 0): "
                               "'5.0000000001', not '5'"),
            std::string::npos)
      << result.reason;
}

TEST(Comparison, WithAToleranceTheExpectedOutputIsTheBaselines) {
  ComparisonPlan plan;
  plan.benchmark.tolerance = Tolerance{1e-6, 0};
  plan.benchmark.inputs = {{.name = "a", .file = "a", .expected_output_sha256 = "1.0"}};
  const auto of = [&](const std::string& baseline, const std::string& candidate) {
    return compare_with([&](SampleRole role, std::size_t,
                            int) { return took(1, is_candidate(role) ? candidate : baseline); },
                        plan)
        .outcome;
  };
  EXPECT_EQ(of("1.0", "1.0000001"), Outcome::ok);
  EXPECT_EQ(of("1.0", "1.1"), Outcome::miscompiled);
  EXPECT_EQ(of("1.0000001", "1.0"), Outcome::baseline_failed);
}

TEST(Comparison, ACheckIsRunThreeTimesAndNeverTimed) {
  ComparisonPlan plan;
  plan.benchmark.inputs = {{.name = "a", .file = "a", .expected_output_sha256 = ""}};
  plan.benchmark.checks = {{.name = "b", .file = "b"}, {.name = "tests", .command = {"test"}}};
  FakeBench bench(noisy(0.9));
  const Comparison result = compare(bench, plan, {});
  ASSERT_EQ(result.outcome, Outcome::ok) << result.reason;
  for (const std::size_t check : {std::size_t{1}, std::size_t{2}}) {
    std::vector<SampleRole> roles;
    for (const BenchRun& run : bench.log) {
      if (run.input == check) {
        roles.push_back(run.role);
        EXPECT_EQ(run.layout, 0U);
        EXPECT_EQ(run.purpose, RunPurpose::check);
      }
    }
    EXPECT_EQ(roles,
              (std::vector{SampleRole::baseline, SampleRole::baseline, SampleRole::candidate}));
  }
  EXPECT_TRUE(std::ranges::all_of(result.samples,
                                  [](const Sample& sample) { return sample.input == "a"; }));
}

TEST(Comparison, AWrongCheckHasTheOutcomesOfAnInput) {
  ComparisonPlan plan;
  plan.benchmark.checks = {{.name = "tests", .command = {"test"}}};
  const auto in_check = [&](const std::function<BenchmarkRun(SampleRole, int)>& make) {
    return compare_with([&](SampleRole role, std::size_t input,
                            int count) { return input == 1 ? make(role, count) : took(1); },
                        plan);
  };
  const auto differs = [](SampleRole role, int) {
    return took(1, is_candidate(role) ? "2 tests failed" : "all tests pass");
  };
  Comparison result = in_check(differs);
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("standard output in check 'tests'"), std::string::npos)
      << result.reason;
  result = in_check([](SampleRole role, int) {
    return is_candidate(role) ? broke(RunClass::failed, "exit code 1") : took(1);
  });
  EXPECT_EQ(result.outcome, Outcome::miscompiled);
  EXPECT_NE(result.reason.find("in check 'tests': exit code 1"), std::string::npos)
      << result.reason;
  EXPECT_EQ(
      in_check([](SampleRole, int) { return broke(RunClass::failed, "exit code 1"); }).outcome,
      Outcome::benchmark_failed);
  EXPECT_EQ(in_check([](SampleRole, int count) { return took(1, std::to_string(count)); }).outcome,
            Outcome::nondeterministic);
  plan.benchmark.checks[0].compare_output = false;
  EXPECT_EQ(in_check(differs).outcome, Outcome::ok);
  plan.benchmark.checks[0].expected_output_sha256 = "all tests pass";
  EXPECT_EQ(in_check(differs).outcome, Outcome::miscompiled);
}

TEST(Comparison, TheBaselineIsAskedLessOftenAboutACheckThatRunsLong) {
  ComparisonPlan plan;
  plan.benchmark.checks = {{.name = "tests", .command = {"test"}}};
  FakeBench bench([](SampleRole role, std::size_t input, int) {
    return took(input == 1 ? 25 : 1, input == 1 && is_candidate(role) ? "wrong" : "right");
  });
  EXPECT_EQ(compare(bench, plan, {}).outcome, Outcome::miscompiled);
  // Twice to check, three times more before the candidate is blamed.
  EXPECT_EQ(std::ranges::count_if(bench.log,
                                  [](const BenchRun& run) {
                                    return run.input == 1 && run.role == SampleRole::baseline;
                                  }),
            5);
}

}  // namespace
}  // namespace hone
