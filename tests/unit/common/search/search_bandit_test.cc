// The bandit over searches, and the evolution strategy that is one of its arms.
#include "common/search/search_bandit.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/search/evolution_strategy.h"
#include "common/search/search_run.h"

namespace hone {
namespace {

// Asks for one sequence a turn: its name and a number, at a cost that falls by `step`.
class Falling final : public SequenceSearch {
 public:
  Falling(std::string name, double step, std::size_t turns)
      : name_(std::move(name)), step_(step), turns_(turns) {}
  std::vector<Sequence> ask() override {
    if (asked_ == turns_) {
      return {};
    }
    ++asked_;
    return {{name_, std::to_string(step_ * static_cast<double>(asked_))}};
  }
  void tell(std::span<const Evaluation> evaluations) override { told += evaluations.size(); }
  void hear(const RankedSequence& found) override { heard.push_back(found); }

  std::size_t told = 0;
  std::vector<RankedSequence> heard;

 private:
  std::string name_;
  double step_;
  std::size_t turns_;
  std::size_t asked_ = 0;
};

class ByTheirNumber final : public Evaluator {
 public:
  Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences) override {
    std::vector<Evaluation> evaluations;
    for (const Sequence& sequence : sequences) {
      evaluations.push_back({1000 - std::stod(sequence[1]), ""});
    }
    return evaluations;
  }
  double cpu_seconds() const override { return 0; }
};

SearchResult run(SequenceSearch& search, Evaluator& evaluator, std::size_t evaluations) {
  EvaluationLog log;
  SearchBudget budget;
  budget.evaluations = evaluations;
  const Result<SearchResult> result = run_search(search, evaluator, budget, log);
  EXPECT_TRUE(result) << result.error().describe();
  return result ? *result : SearchResult{};
}

TEST(SearchBandit, GivesItsTurnsToWhatFindsSomething) {
  auto idle = std::make_unique<Falling>("idle", 0, 10'000);
  auto good = std::make_unique<Falling>("good", 1, 10'000);
  const Falling& of_idle = *idle;
  const Falling& of_good = *good;
  std::vector<BanditArm> arms;
  arms.push_back({"idle", std::move(idle)});
  arms.push_back({"good", std::move(good)});
  SearchBandit bandit(std::move(arms));
  ByTheirNumber evaluator;
  const SearchResult result = run(bandit, evaluator, 200);
  EXPECT_EQ(result.evaluations, 200U);
  EXPECT_GT(of_good.told, 190U);
  EXPECT_GE(of_idle.told, 1U) << "each is tried";
  const std::vector<SearchBandit::ArmCredit> credits = bandit.credits();
  EXPECT_DOUBLE_EQ(credits[1].auc, 1) << "every one a new best";
  EXPECT_EQ(credits[0].evaluations + credits[1].evaluations, 200U);
}

TEST(SearchBandit, AreaUnderTheCurveCountsLateSuccessesMore) {
  // New bests at the 1st and 4th of 4: 2 / (4 * 5) * (1 + 4) = 0.5.
  class Scripted final : public SequenceSearch {
   public:
    std::vector<Sequence> ask() override {
      static constexpr std::array<const char*, 4> kGains = {"5", "1", "2", "9"};
      return turn_ == kGains.size() ? std::vector<Sequence>{}
                                    : std::vector<Sequence>{{"x", kGains.at(turn_++)}};
    }
    void tell(std::span<const Evaluation>) override {}

   private:
    std::size_t turn_ = 0;
  };
  std::vector<BanditArm> arms;
  arms.push_back({"only", std::make_unique<Scripted>()});
  SearchBandit bandit(std::move(arms));
  ByTheirNumber evaluator;
  EXPECT_EQ(run(bandit, evaluator, 100).evaluations, 4U) << "it ends with its arms";
  EXPECT_DOUBLE_EQ(bandit.credits()[0].auc, 0.5);
}

TEST(SearchBandit, TellsTheOthersOfANewBest) {
  auto good = std::make_unique<Falling>("good", 1, 3);
  auto other = std::make_unique<Falling>("other", 0, 1);
  const Falling& of_good = *good;
  const Falling& of_other = *other;
  std::vector<BanditArm> arms;
  arms.push_back({"good", std::move(good)});
  arms.push_back({"other", std::move(other)});
  SearchBandit bandit(std::move(arms));
  ByTheirNumber evaluator;
  EXPECT_EQ(run(bandit, evaluator, 100).evaluations, 4U);
  ASSERT_EQ(of_other.heard.size(), 3U);
  EXPECT_DOUBLE_EQ(of_other.heard.back().cost, 997);
  EXPECT_TRUE(of_good.heard.empty()) << "not of its own, nor of what is no better";
}

// The number of passes that are not adce, beside which a pipeline costs nothing.
class AdceOnly final : public Evaluator {
 public:
  Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences) override {
    std::vector<Evaluation> evaluations;
    for (const Sequence& sequence : sequences) {
      const Result<Forest> forest = parse_pipeline(sequence.at(0));
      EXPECT_TRUE(forest && check_pipeline(*forest, 19)) << sequence.at(0);
      evaluations.push_back({static_cast<double>(count_passes(*forest)), ""});
    }
    return evaluations;
  }
  double cpu_seconds() const override { return 0; }
};

TEST(EvolutionStrategy, ShrinksWhatMayShrinkAndStaysValid) {
  const Forest start = *parse_pipeline(
      "always-inline,function(adce,bdce,dce,dse,gvn,sroa,reassociate,sccp,sink,adce,bdce)");
  EvolutionSettings settings;
  settings.seed = 4;
  EvolutionStrategy search(settings, start);
  AdceOnly evaluator;
  const SearchResult result = run(search, evaluator, 2'000);
  EXPECT_LE(result.cost, 2) << print(start) << " has 12 passes, a pipeline at least one";
  EXPECT_GE(search.rate(), 0.25);
  EXPECT_LE(search.rate(), 16);
}

TEST(EvolutionStrategy, GoesOnFromWhatItHears) {
  EvolutionStrategy search({}, *parse_pipeline("function(adce)"));
  ASSERT_EQ(search.ask().size(), 1U);
  search.tell(std::vector<Evaluation>{{10, ""}});
  search.hear({{"function(sroa)", "globaldce"}, 5});
  search.hear({{"function(dce)"}, 7});
  search.hear({{"iroutliner"}, 1});
  std::size_t from_heard = 0;
  for (const Sequence& child : search.ask()) {
    from_heard += child[0].find("globaldce") != std::string::npos ||
                          child[0].find("sroa") != std::string::npos
                      ? 1
                      : 0;
    EXPECT_EQ(child[0].find("iroutliner"), std::string::npos) << "may not be run";
  }
  EXPECT_GE(from_heard, 4U);
}

}  // namespace
}  // namespace hone
