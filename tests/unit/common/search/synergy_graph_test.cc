#include "common/search/synergy_graph.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/search/elite_climb.h"

namespace hone {
namespace {

SynergyGraph example() {
  SynergyGraph graph;
  graph.cost = "IrInstructionCount";
  graph.passes = {{"gvn", 0.01, 4}, {"default<Oz>", 0.02, 3}};
  graph.edges = {{"", "gvn", 0.02, 3}, {"sroa", "gvn", 0.03, 3}};
  graph.card = {"2026-11-29T04:00:00Z", "a test", 1, 2.5, 77, {"x.c", "y.c"}};
  return graph;
}

std::string problem_of(void (*change)(Json&)) {
  Json document = to_json(example());
  change(document);
  const Result<SynergyGraph> graph = synergy_graph_from_json(document);
  return graph ? "" : graph.error().describe();
}

TEST(SynergyGraph, IsReadAsItWasWritten) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("synergy");
  ASSERT_TRUE(folder) << folder.error().describe();
  const std::filesystem::path file = folder->path() / "g.json";
  std::ofstream(file) << to_text(example());
  const Result<SynergyGraph> read = read_synergy_graph(file);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(to_json(*read), to_json(example()));
  EXPECT_EQ(read->weights()->weight("sroa", "gvn"), 30'000'000U);
  EXPECT_EQ(read->weights()->weight("", "gvn"), 20'000'000U);
  EXPECT_EQ(read->weights()->weight("gvn", "gvn"), 10'000'000U);
  EXPECT_EQ(read_synergy_graph(folder->path() / "none.json").error().code, ErrorCode::not_found);
}

TEST(SynergyGraph, WhatIsWrongIsNamed) {
  const auto named = [](void (*change)(Json&), const std::string& what) {
    const std::string problem = problem_of(change);
    EXPECT_NE(problem.find(what), std::string::npos) << problem << " lacks " << what;
  };
  named([](Json& json) { json["format"] = "hone-synergy/9"; }, "/format");
  named([](Json& json) { json["edges"][1]["before"] = "iroutliner"; }, "/edges/1/before");
  named([](Json& json) { json["edges"][1]["pass"] = "gvn<memdep>"; }, "/edges/1/pass");
  named([](Json& json) { json["passes"][0]["gain"] = -0.1; }, "/passes/0/gain");
  named([](Json& json) { json["passes"][0]["gain"] = 2; }, "/passes/0/gain");
  named([](Json& json) { json["passes"] = Json::array(); }, "/passes");
  named([](Json& json) { json["llvm_major"] = 13; }, "/llvm_major");
  named([](Json& json) { json["card"]["programs"] = Json::array(); }, "/card/programs");
  named([](Json& json) { json["colour"] = 1; }, "/colour");
}

// A climb that is told that one action is worth something inserts it far more often.
TEST(EliteClimb, DrawsActionsAsSuccessors) {
  const auto inserted = [](std::shared_ptr<const SuccessorWeights> successors) {
    EliteClimbSettings settings;
    settings.actions = {"function(sroa)", "function(gvn)", "globaldce", "function(adce)",
                        "function(dce)"};
    settings.known = {{{"default<Oz>", "default<Oz>", "default<Oz>"}, 10}};
    settings.successors = std::move(successors);
    EliteClimb climb(std::move(settings));
    std::size_t count = 0;
    for (int turn = 0; turn < 100; ++turn) {
      const std::vector<Sequence> asked = climb.ask();
      std::vector<Evaluation> evaluations(asked.size(), Evaluation{20, ""});
      for (const Sequence& sequence : asked) {
        for (std::size_t i = 1; i < sequence.size(); ++i) {
          count += sequence[i - 1] == "default<Oz>" && sequence[i] == "function(gvn)" ? 1 : 0;
        }
      }
      climb.tell(evaluations);
    }
    return count;
  };
  auto weights = std::make_shared<SuccessorWeights>();
  weights->set("default<Oz>", "gvn", 0.1);
  const std::size_t alike = inserted(nullptr);
  EXPECT_GT(alike, 0U);
  EXPECT_GT(inserted(weights), 2 * alike);
}

}  // namespace
}  // namespace hone
