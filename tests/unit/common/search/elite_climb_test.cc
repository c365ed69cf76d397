#include "common/search/elite_climb.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/pipelines/forest.h"
#include "common/search/portfolio_search.h"
#include "common/search/search_run.h"

namespace hone {
namespace {

constexpr char kWanted[] = "function(sroa)";
constexpr char kFailing[] = "function(gvn)";

// 10, less 1 for each function(sroa) up to four, plus 0.1 for each pipeline; function(gvn) fails.
Evaluation cost_of(const Sequence& sequence) {
  Evaluation evaluation;
  if (std::ranges::count(sequence, kFailing) > 0) {
    evaluation.failure = "crashed";
    return evaluation;
  }
  const auto wanted = std::min<std::ptrdiff_t>(std::ranges::count(sequence, kWanted), 4);
  evaluation.cost = 10.0 - static_cast<double>(wanted) + 0.1 * static_cast<double>(sequence.size());
  return evaluation;
}

class ToyEvaluator final : public Evaluator {
 public:
  Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences) override {
    std::vector<Evaluation> evaluations;
    for (const Sequence& sequence : sequences) {
      evaluations.push_back(cost_of(sequence));
    }
    batches.emplace_back(sequences.begin(), sequences.end());
    return evaluations;
  }
  double cpu_seconds() const override { return 0; }
  std::vector<std::vector<Sequence>> batches;
};

EliteClimbSettings settings() {
  EliteClimbSettings settings;
  settings.actions = {kWanted, kFailing, "globaldce", "function(adce)"};
  settings.start = {{"globaldce", "function(adce)"}, {"function(dce)"}};
  return settings;
}

SearchResult run(SequenceSearch& search, std::size_t evaluations, ToyEvaluator& evaluator) {
  EvaluationLog log;
  SearchBudget budget;
  budget.evaluations = evaluations;
  const Result<SearchResult> result = run_search(search, evaluator, budget, log);
  EXPECT_TRUE(result) << result.error().describe();
  return result ? *result : SearchResult{};
}

TEST(EliteClimb, FindsTheBestSequence) {
  EliteClimb search(settings());
  ToyEvaluator evaluator;
  EXPECT_DOUBLE_EQ(run(search, 2000, evaluator).cost, 6.4);
}

TEST(EliteClimb, IsTheSameForOneSeed) {
  EliteClimbSettings other = settings();
  other.seed = 2;
  EliteClimb first(settings());
  EliteClimb second(settings());
  EliteClimb third(other);
  ToyEvaluator a;
  ToyEvaluator b;
  ToyEvaluator c;
  run(first, 200, a);
  run(second, 200, b);
  run(third, 200, c);
  EXPECT_EQ(a.batches, b.batches);
  EXPECT_NE(a.batches, c.batches);
}

TEST(EliteClimb, WhatIsKnownIsNotAskedForAgain) {
  EliteClimbSettings known = settings();
  known.known = {{{kWanted}, 9.1}};
  EliteClimb search(known);
  ToyEvaluator evaluator;
  run(search, 8, evaluator);
  ASSERT_EQ(evaluator.batches.size(), 1U);
  for (const Sequence& start : known.start) {
    EXPECT_EQ(std::ranges::count(evaluator.batches[0], start), 0);
  }
}

TEST(EliteClimb, GoesOnWhereAllOfTheStartFailed) {
  EliteClimbSettings failing = settings();
  failing.start = {{kFailing}};
  EliteClimb search(failing);
  ToyEvaluator evaluator;
  EXPECT_DOUBLE_EQ(run(search, 2000, evaluator).cost, 6.4);
}

TEST(EliteClimb, ChildrenAreNoLongerThanAllowedAndAreGrammatical) {
  EliteClimbSettings short_ones = settings();
  short_ones.length = 4;
  EliteClimb search(short_ones);
  ToyEvaluator evaluator;
  run(search, 500, evaluator);
  for (const std::vector<Sequence>& batch : evaluator.batches) {
    for (const Sequence& sequence : batch) {
      EXPECT_LE(sequence.size(), 4U);
      for (const std::string& pipeline : sequence) {
        EXPECT_TRUE(parse_pipeline(pipeline)) << pipeline;
      }
    }
  }
}

TEST(PortfolioSearch, TriesThePortfolioInItsOrderThenFollowsFromTheBest) {
  const std::vector<Sequence> portfolio = {
      {"globaldce"}, {kFailing}, {kWanted, kWanted}, {kWanted}, {"function(dce)"}};
  std::vector<RankedSequence> handed_on;
  PortfolioSearch search(portfolio, 2, [&](std::vector<RankedSequence> best) {
    handed_on = best;
    EliteClimbSettings following = settings();
    following.known = std::move(best);
    return std::make_unique<EliteClimb>(std::move(following));
  });
  ToyEvaluator evaluator;
  const SearchResult result = run(search, 1000, evaluator);
  std::vector<Sequence> first;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(evaluator.batches[i].size(), 2U);
    first.insert(first.end(), evaluator.batches[i].begin(), evaluator.batches[i].end());
  }
  EXPECT_EQ(first, portfolio);
  ASSERT_EQ(handed_on.size(), 4U) << "the one that failed is not handed on";
  EXPECT_EQ(handed_on[0].sequence, (Sequence{kWanted, kWanted}));
  EXPECT_DOUBLE_EQ(handed_on[0].cost, 8.2);
  EXPECT_DOUBLE_EQ(result.cost, 6.4);
}

TEST(PortfolioSearch, EndsAfterThePortfolioWithoutASearchToFollow) {
  PortfolioSearch search({{"globaldce"}, {kWanted}}, 8, nullptr);
  ToyEvaluator evaluator;
  const SearchResult result = run(search, 1000, evaluator);
  EXPECT_EQ(result.evaluations, 2U);
  EXPECT_EQ(result.best, (Sequence{kWanted}));
}

}  // namespace
}  // namespace hone
