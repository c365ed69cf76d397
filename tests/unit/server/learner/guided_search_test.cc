// A search that asks trees, on a toy whose trees know the truth, or something that is none.
#include "server/learner/lab/guided_search.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/search/search_run.h"
#include "server/learner/lab/module_features.h"
#include "server/learner/lab/program_features.h"
#include "server/learner/lab/sequence_edit.h"
#include "server/learner/lab/tree_model.h"

namespace hone {
namespace {

const std::vector<std::string> kActions = {"function(sroa)", "function(gvn)", "globaldce",
                                           "function(adce)", "function(dce)", "default<Oz>",
                                           "function(sink)", "function(bdce)"};

// ln(100 / cost): 0.1 for each gvn up to five, less 0.05 for each pipeline more than ten.
double worth(const Sequence& sequence) {
  const auto gvn = std::min<std::ptrdiff_t>(std::ranges::count(sequence, kActions[1]), 5);
  return 0.1 * static_cast<double>(gvn) -
         0.05 * static_cast<double>(std::max<std::size_t>(sequence.size(), 10) - 10);
}

class ToyEvaluator final : public Evaluator {
 public:
  Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences) override {
    std::vector<Evaluation> evaluations;
    for (const Sequence& sequence : sequences) {
      evaluations.push_back({100 / std::exp(worth(sequence)), ""});
      firsts.push_back(sequence);
    }
    return evaluations;
  }
  double cpu_seconds() const override { return 0; }
  std::vector<Sequence> firsts;
};

Result<TreeEnsemble> trained(const std::vector<std::string>& features) {
  TrainingRows rows(features, 1, 0);
  Random random(1);
  for (int i = 0; i < 600; ++i) {
    Sequence sequence;
    for (std::uint64_t left = 1 + random.below(10); left > 0; --left) {
      sequence.push_back(kActions[random.below(kActions.size())]);
    }
    TrainingRow row;
    row.features.assign(features.size() - kActions.size(), 1);
    const std::vector<float> counts = taken(sequence, kActions);
    row.features.insert(row.features.end(), counts.begin(), counts.end());
    row.reward = worth(sequence);
    EXPECT_TRUE(rows.add(row));
  }
  TreeEnsembleSettings settings;
  settings.members = 3;
  settings.rounds = 40;
  settings.booster.threads = 1;
  std::map<std::string, double> metrics;
  return TreeEnsemble::train(rows, settings, metrics);
}

std::vector<std::string> named_features() {
  std::vector<std::string> names = program_feature_names();
  for (const std::string& action : kActions) {
    names.push_back("taken." + action);
  }
  return names;
}

GuidedSearchSettings settings() {
  GuidedSearchSettings settings;
  settings.members = {{"globaldce"}, {"function(adce)"}, {kActions[1]}, {"default<Oz>"}};
  settings.actions = kActions;
  settings.program = {1};
  settings.oz = 100;
  settings.tried_members = 2;
  settings.width = 8;
  return settings;
}

std::vector<std::string> short_features() {
  std::vector<std::string> names = {"program"};
  names.insert(names.end(), kActions.begin(), kActions.end());
  return names;
}

TEST(GuidedSearch, TriesFirstWhatTheTreesLikeAndFindsTheBest) {
  Result<TreeEnsemble> trees = trained(short_features());
  ASSERT_TRUE(trees) << trees.error().describe();
  Result<GuidedSearch> search = GuidedSearch::create(*std::move(trees), settings());
  ASSERT_TRUE(search) << search.error().describe();
  ToyEvaluator evaluator;
  EvaluationLog log;
  SearchBudget budget;
  budget.evaluations = 120;
  const Result<SearchResult> result = run_search(*search, evaluator, budget, log);
  ASSERT_TRUE(result) << result.error().describe();
  EXPECT_EQ(evaluator.firsts[0], (Sequence{"globaldce"})) << "the portfolio's first";
  EXPECT_EQ(evaluator.firsts[1], (Sequence{kActions[1]})) << "its third, which the trees like";
  EXPECT_NEAR(std::log(100 / result->cost), 0.5, 1e-9) << "five of gvn within 120 evaluations";
}

TEST(GuidedSearch, HalfOfABatchIsDrawnByTheTrees) {
  Result<TreeEnsemble> trees = trained(short_features());
  ASSERT_TRUE(trees);
  Result<GuidedSearch> search = GuidedSearch::create(*std::move(trees), settings());
  ASSERT_TRUE(search);
  search->tell(std::vector<Evaluation>(search->ask().size()));  // all members fail
  std::size_t led = 0;
  std::size_t alike = 0;
  for (int turn = 0; turn < 20; ++turn) {
    const std::vector<Sequence> asked = search->ask();
    ASSERT_EQ(asked.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) {
      (i < 4 ? alike : led) += std::ranges::count(asked[i], kActions[1]) > 0 ? 1 : 0;
    }
    search->tell(std::vector<Evaluation>(8));
  }
  EXPECT_GT(led, 2 * alike);
  EXPECT_GT(alike, 0U);
}

TEST(GuidedSearch, RefusesWhatDoesNotFit) {
  Result<TreeEnsemble> trees = trained(short_features());
  ASSERT_TRUE(trees);
  GuidedSearchSettings wrong = settings();
  wrong.program = {1, 2};
  EXPECT_EQ(GuidedSearch::create(*std::move(trees), wrong).error().code,
            ErrorCode::invalid_argument);
}

TEST(TreeModel, IsReadForWhatItsFeaturesSay) {
  const std::vector<std::string> names = named_features();
  Result<TreeEnsemble> trees = trained(names);
  ASSERT_TRUE(trees) << trees.error().describe();
  Model model;
  model.feature_version = kFeatureVersion;
  model.features = names;
  ASSERT_TRUE(trees->store(model));
  const Result<TreeModel> read = tree_model(model, 1);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->actions, kActions);
  EXPECT_EQ(read->ir2vec, 0U);
  const auto refused = [](Model changed) {
    const Result<TreeModel> bad = tree_model(changed, 1);
    return bad ? ErrorCode::internal : bad.error().code;
  };
  Model changed = model;
  changed.feature_version = 9;
  EXPECT_EQ(refused(changed), ErrorCode::unsupported);
  changed = model;
  changed.feature_version = kFeatureVersionIr2Vec;
  EXPECT_EQ(refused(changed), ErrorCode::invalid_argument) << "no number of IR2Vec";
  changed = model;
  std::swap(changed.features[0], changed.features[1]);
  EXPECT_EQ(refused(changed), ErrorCode::invalid_argument);
  changed = model;
  changed.features.back() = "taken.iroutliner";
  EXPECT_EQ(refused(changed), ErrorCode::invalid_argument) << "may not be run";
}

TEST(ModuleFeatures, HaveIr2VecBehindTheCountsWhereItsVocabularyIsNamed) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("features");
  ASSERT_TRUE(folder) << folder.error().describe();
  const std::filesystem::path program = folder->path() / "p.ll";
  std::ofstream(program) << "define i32 @f(i32 %a) {\n  %x = add i32 %a, 3\n  ret i32 %x\n}\n";
  const std::filesystem::path vocabulary = folder->path() / "v.txt";
  std::ofstream(vocabulary) << "ret:[1, 0],\ncall:[0, 0],\nadd:[100, 0],\nintegerTy:[0, 1],\n"
                               "voidTy:[0, 0],\nconstant:[0, 0],\nvariable:[0, 0],\n"
                               "pointer:[0, 0],\nfunction:[0, 0]";
  const std::filesystem::path sessions = HONE_BINARY_DIR "/bin/hone-session";
  const auto without = module_features(program, {sessions, ""});
  ASSERT_TRUE(without) << without.error().describe();
  EXPECT_EQ(without->size(), kProgramFeatures);
  const auto with = module_features(program, {sessions, vocabulary});
  ASSERT_TRUE(with) << with.error().describe();
  ASSERT_EQ(with->size(), kProgramFeatures + 2);
  EXPECT_TRUE(std::equal(without->begin(), without->end(), with->begin()));
  const double instructions = std::exp((*with)[0]);  // one more than there are
  EXPECT_NEAR(with->at(kProgramFeatures), 101 / instructions, 1e-9);
  EXPECT_NEAR(instructions, 3, 1e-9);
  EXPECT_EQ(program_feature_names(2).back(), "Ir2vec.1");
  std::ofstream(vocabulary) << "none";
  EXPECT_FALSE(module_features(program, {sessions, vocabulary}));
}

}  // namespace
}  // namespace hone
