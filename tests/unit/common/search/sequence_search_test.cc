#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "common/pipelines/action_table.h"
#include "common/search/genetic_search.h"
#include "common/search/greedy_search.h"
#include "common/search/hill_climb.h"
#include "common/search/random_search.h"
#include "common/search/search_run.h"

namespace hone {
namespace {

const std::vector<std::string> kActions = {"a", "b", "c", "d"};

// 10, less 1 for each "a" up to four, plus 0.1 for each action; a "d" fails.
class ToyEvaluator final : public Evaluator {
 public:
  Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences) override {
    std::vector<Evaluation> evaluations;
    for (const Sequence& sequence : sequences) {
      ++evaluated;
      const auto wanted = std::ranges::count(sequence, "a");
      Evaluation evaluation;
      if (std::ranges::count(sequence, "d") > 0) {
        evaluation.failure = "crashed: d";
      } else {
        evaluation.cost = 10.0 - static_cast<double>(std::min<std::ptrdiff_t>(wanted, 4)) +
                          0.1 * static_cast<double>(sequence.size());
      }
      evaluations.push_back(evaluation);
    }
    return evaluations;
  }
  double cpu_seconds() const override { return 0.01 * static_cast<double>(evaluated); }
  std::size_t evaluated = 0;
};

SearchResult run(SequenceSearch& search, const SearchBudget& budget) {
  ToyEvaluator evaluator;
  EvaluationLog log;
  const Result<SearchResult> result = run_search(search, evaluator, budget, log);
  EXPECT_TRUE(result) << result.error().describe();
  return result ? *result : SearchResult{};
}

TEST(GreedySearch, TakesTheBestActionUntilNoneIsBetter) {
  GreedySearch search(kActions, 45);
  const SearchResult result = run(search, {});
  EXPECT_EQ(result.best, (Sequence{"a", "a", "a", "a"}));
  EXPECT_DOUBLE_EQ(result.cost, 6.4);
  // The empty one, then four tries five times; one in four fails.
  EXPECT_EQ(result.evaluations, 21U);
  EXPECT_EQ(result.failed, 5U);
}

TEST(GreedySearch, EndsAtItsLength) {
  GreedySearch search(kActions, 2);
  EXPECT_EQ(run(search, {}).best, (Sequence{"a", "a"}));
}

TEST(HillClimb, ClimbsFromItsStart) {
  HillClimb search(kActions, {"b", "c"}, 20, 8, 3);
  SearchBudget budget;
  budget.evaluations = 1500;
  const SearchResult result = run(search, budget);
  EXPECT_DOUBLE_EQ(result.cost, 6.4);
  EXPECT_LE(result.evaluations, 1500U);
}

TEST(RandomSearch, KeepsItsLengthAndFindsSomething) {
  RandomSearch search(kActions, 6, 10, 1);
  std::set<std::size_t> lengths;
  for (int i = 0; i < 20; ++i) {
    for (const Sequence& sequence : search.ask()) {
      lengths.insert(sequence.size());
    }
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{1, 2, 3, 4, 5, 6}));
  SearchBudget budget;
  budget.cpu_seconds = 5;
  EXPECT_LT(run(search, budget).cost, 8);
}

// Passes cost nothing here: a pipeline is the better, the fewer characters it has, and sroa is
// worth twenty.
class LengthEvaluator final : public Evaluator {
 public:
  Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences) override {
    std::vector<Evaluation> evaluations;
    for (const Sequence& sequence : sequences) {
      const Result<Forest> forest = parse_pipeline(sequence.front());
      EXPECT_TRUE(forest && check_pipeline(*forest, 19)) << sequence.front();
      const bool has = sequence.front().find("sroa") != std::string::npos;
      evaluations.push_back({static_cast<double>(sequence.front().size()) - (has ? 20 : 0), ""});
    }
    return evaluations;
  }
  double cpu_seconds() const override { return 0; }
};

TEST(GeneticSearch, BreedsValidPipelinesThatGetBetter) {
  GeneticSettings settings;
  settings.population = 20;
  GeneticSearch search(settings, {});
  LengthEvaluator evaluator;
  EvaluationLog log;
  double first = 0;
  SearchHooks hooks;
  hooks.on_batch = [&first](const SearchResult& result) {
    first = first == 0 ? result.cost : first;
  };
  SearchBudget budget;
  budget.evaluations = 3000;
  const Result<SearchResult> result = run_search(search, evaluator, budget, log, hooks);
  ASSERT_TRUE(result);
  EXPECT_LT(result->cost, first);
  // "function(sroa)" and what goes before it where nothing would inline.
  EXPECT_LE(result->cost, 8) << result->best.front();
}

TEST(Searches, AreTheSameAgainForOneSeed) {
  const auto best_of = [](std::uint64_t seed) {
    HillClimb search(kActions, {}, 20, 8, seed);
    SearchBudget budget;
    budget.evaluations = 60;
    return run(search, budget).best;
  };
  EXPECT_EQ(best_of(5), best_of(5));
  EXPECT_NE(best_of(5), best_of(6));
}

class EvaluationLogTest : public testing::Test {
 protected:
  EvaluationLogTest() {
    std::string pattern = "/tmp/evaluation-log-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~EvaluationLogTest() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(EvaluationLogTest, ASearchGoesOnFromWhereItWas) {
  const std::filesystem::path file = folder_ / "log";
  SearchBudget budget;
  budget.evaluations = 40;
  ToyEvaluator before;
  Sequence best;
  {
    Result<EvaluationLog> log = EvaluationLog::open(file, "toy");
    ASSERT_TRUE(log) << log.error().describe();
    HillClimb search(kActions, {}, 20, 8, 5);
    const Result<SearchResult> result = run_search(search, before, budget, *log);
    ASSERT_TRUE(result);
  }
  // The end of a line that a crash cut short.
  std::ofstream(file, std::ios::app) << R"({"cost":1,"pipelin)";
  budget.evaluations = 80;
  ToyEvaluator after;
  Result<EvaluationLog> log = EvaluationLog::open(file, "toy");
  ASSERT_TRUE(log) << log.error().describe();
  HillClimb search(kActions, {}, 20, 8, 5);
  const Result<SearchResult> resumed = run_search(search, after, budget, *log);
  ASSERT_TRUE(resumed);
  HillClimb whole(kActions, {}, 20, 8, 5);
  const SearchResult at_once = run(whole, budget);
  EXPECT_EQ(resumed->best, at_once.best);
  EXPECT_EQ(resumed->cost, at_once.cost);
  EXPECT_GE(resumed->remembered, before.evaluated);
  EXPECT_LE(after.evaluated, 40U);
}

TEST_F(EvaluationLogTest, AnotherSubjectsLogIsRefused) {
  const std::filesystem::path file = folder_ / "log";
  ASSERT_TRUE(EvaluationLog::open(file, "this"));
  const Result<EvaluationLog> other = EvaluationLog::open(file, "that");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::conflict);
  std::ofstream(folder_ / "bad") << "{}\n";
  EXPECT_FALSE(EvaluationLog::open(folder_ / "bad", "this"));
}

}  // namespace
}  // namespace hone
