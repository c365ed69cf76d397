// What passes brought in sequences and sessions that were logged, and the graph that is made of it.
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "server/learner/knowledge/pair_probes.h"
#include "server/learner/knowledge/pass_tries.h"
#include "server/learner/knowledge/program_family.h"
#include "server/learner/knowledge/synergy_miner.h"
#include "server/learner/knowledge/synergy_sums.h"
#include "server/learner/knowledge/transition_tries.h"

namespace hone {
namespace {

EvaluatedSequence tried(Sequence sequence, std::optional<double> cost) {
  return {std::move(sequence), {cost, cost ? "" : "crashed"}};
}

// "before>pass=gain", for people.
std::vector<std::string> told(const std::vector<PassTry>& tries) {
  std::vector<std::string> lines;
  for (const PassTry& one : tries) {
    lines.push_back(one.before + ">" + one.pass + "=" +
                    std::to_string(std::lround(std::exp(one.gain) * 1000)));
  }
  return lines;
}

TEST(PassTries, AreWhatOnePassMoreBrings) {
  const std::vector<EvaluatedSequence> all = {
      tried({"default<Oz>"}, 100),
      tried({"default<Oz>", "function(gvn)"}, 80),
      tried({"default<Oz>", "function(sroa)"}, 100),
      tried({"default<Oz>", "function(sroa)", "function(gvn)"}, 50),
      tried({"default<Oz>", "function(dce)"}, std::nullopt),
      // Nothing is known of these without one of their passes.
      tried({"globaldce", "function(dce)"}, 90),
  };
  EXPECT_THAT(told(pass_tries(all, HUGE_VAL)),
              testing::UnorderedElementsAre("default<Oz>>gvn=1250", "default<Oz>>sroa=1000",
                                            "sroa>gvn=2000", "default<Oz>>sroa=1600",
                                            "default<Oz>>dce=1000"));
}

TEST(PassTries, ARepairIsNoGain) {
  const std::vector<EvaluatedSequence> all = {
      tried({"default<Oz>"}, 100),
      tried({"default<Oz>", "function(reg2mem)"}, 300),
      tried({"default<Oz>", "function(reg2mem)", "function(sroa)"}, 99),
      tried({"default<Oz>", "function(sroa)"}, 99),
      tried({"function(sroa)"}, 500),
  };
  EXPECT_THAT(told(pass_tries(all, 101)),
              testing::UnorderedElementsAre("default<Oz>>reg2mem=333", "default<Oz>>sroa=1010",
                                            "default<Oz>>reg2mem=1000"));
}

TEST(PassTries, TakeOneOfEqualNeighboursAndNoPipelineOfSeveral) {
  const std::vector<EvaluatedSequence> all = {
      tried({}, 100),
      tried({"function(gvn)"}, 80),
      tried({"function(gvn)", "function(gvn)"}, 80),
      tried({"function(gvn,sroa)"}, 50),
      tried({"function(gvn,sroa)", "function(adce)"}, 40),
  };
  EXPECT_THAT(told(pass_tries(all, HUGE_VAL)),
              testing::UnorderedElementsAre(">gvn=1250", "gvn>gvn=1000", "sroa>adce=1250"));
}

TEST(SynergySums, ProgramsCountAlikeAndFewSayLittle) {
  SynergySums sums;
  // Three programs: gvn brings 0.06 behind sroa, nothing elsewhere, and is tried there often.
  for (int program = 0; program < 3; ++program) {
    std::vector<PassTry> tries = {{"sroa", "gvn", 0.06}, {"dce", "sink", 0.01}};
    for (int i = 0; i < 5; ++i) {
      tries.push_back({"dce", "gvn", -0.5});
    }
    sums.add(tries, 1);
  }
  sums.add(std::vector<PassTry>{{"adce", "gvn", 5}}, 1);
  EXPECT_EQ(sums.tries(), 22U);
  const SynergyGraph graph = sums.graph(10);
  ASSERT_EQ(graph.passes.size(), 2U);
  // gvn: three programs of 0.06 / 6, one of 0.2 (the most of a try): mean 0.0575; sink 0.01; all
  // seven 0.26 / 7. Towards that as if two programs said so.
  const double mean = (0.03 + 0.2 + 0.03) / 7;
  const double gvn = (4 * 0.0575 + 2 * mean) / 6;
  EXPECT_EQ(graph.passes[0].pass, "gvn");
  EXPECT_NEAR(graph.passes[0].gain, gvn, 1e-7);
  EXPECT_EQ(graph.passes[0].programs, 4U);
  EXPECT_NEAR(graph.passes[1].gain, (3 * 0.01 + 2 * mean) / 5, 1e-7);
  // adce>gvn was seen on one program only; sroa>gvn differs little from gvn anywhere.
  std::vector<std::string> edges;
  for (const SynergyEdge& edge : graph.edges) {
    edges.push_back(edge.before + ">" + edge.pass);
  }
  EXPECT_THAT(edges, testing::ElementsAre("dce>gvn", "dce>sink"));
  EXPECT_NEAR(graph.edges[0].gain, 4 * gvn / 7, 1e-7) << "three programs say 0, four say gvn";
  EXPECT_EQ(sums.graph(1).edges.size(), 1U);
  EXPECT_EQ(sums.graph(1).edges[0].before, "dce");
}

TEST(ProgramFamily, IsThePackageOrTheGenerator) {
  EXPECT_EQ(family_of("benchmark://debian-v0/zstd/lib/a.c"), "benchmark://debian-v0/zstd");
  EXPECT_EQ(family_of("generator://csmith-v0/5"), "generator://csmith-v0");
  EXPECT_EQ(family_of("x.c"), "x.c");
  EXPECT_THAT(family_weights({"generator://csmith-v0/1", "x.c", "generator://csmith-v0/2"}),
              testing::ElementsAre(0.5, 1, 0.5));
}

TEST(PairProbes, FollowThoseFirstThatChangeSomething) {
  PairProbes probes({"default<Oz>"}, {"a", "b", "c"}, 1);
  ASSERT_EQ(probes.ask().size(), 4U);
  probes.tell(std::vector<Evaluation>{{100, ""}, {100, ""}, {90, ""}, {std::nullopt, "crashed"}});
  const std::vector<Sequence> second = probes.ask();
  ASSERT_EQ(second.size(), 3U);
  EXPECT_EQ(second[0], (Sequence{"default<Oz>", "b", "a"}));
  probes.tell(std::vector<Evaluation>(3));
  EXPECT_EQ(probes.ask().at(2), (Sequence{"default<Oz>", "a", "c"}));
  probes.tell(std::vector<Evaluation>(3));
  EXPECT_TRUE(probes.ask().empty()) << "nothing follows a failure";
}

class SynergyFiles : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, std::string_view text) {
    const std::filesystem::path file = folder_.path() / name;
    std::ofstream(file) << text;
    return file;
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("synergy");
};

std::string step(int number, const std::string& kind, const std::string& rest) {
  return R"({"cursor":"1-)" + std::to_string(number) + R"(","kind":")" + kind +
         R"(","episode":"e","program":"x.c","step":)" + std::to_string(number) + "," + rest + "}\n";
}

TEST_F(SynergyFiles, TransitionsTellOfStepsOfOnePass) {
  const std::string text =
      step(0, "begin", R"("next_state":"s0","features":{"IrInstructionCount":100})") +
      step(1, "step",
           R"x("state":"s0","next_state":"s1","pipelines":["function(sroa)"],"outcome":"ok",)x"
           R"x("features":{"IrInstructionCount":50})x") +
      step(2, "step",
           R"x("state":"s1","next_state":"s2","pipelines":["function(gvn)"],"outcome":"ok",)x"
           R"x("features":{"IrInstructionCount":40})x") +
      step(3, "undo", R"x("state":"s2","next_state":"s1","features":null)x") +
      step(4, "step",
           R"x("state":"s1","next_state":"s2","pipelines":["function(gvn)"],"outcome":"ok",)x"
           R"x("features":null)x") +
      step(5, "step",
           R"x("state":"s2","next_state":"s3","pipelines":["function(dce)"],"outcome":"ok",)x"
           R"x("features":null)x") +
      step(6, "step",
           R"x("state":"s2","next_state":"s0","pipelines":["function(reg2mem)"],"outcome":"ok",)x"
           R"x("features":null)x") +
      step(7, "step",
           R"x("state":"s0","next_state":"s2","pipelines":["function(sroa)"],"outcome":"ok",)x"
           R"x("features":null)x");
  const auto tries = transition_tries(write("t.ndjson", text), "IrInstructionCount");
  ASSERT_TRUE(tries) << tries.error().describe();
  ASSERT_EQ(tries->size(), 1U);
  EXPECT_THAT(told(tries->at("x.c")),
              testing::ElementsAre(">sroa=2000", "sroa>gvn=1250", "dce>reg2mem=400"))
      << "behind an undo nobody knows what came before, s3 was not observed, and a repair is no "
         "gain";
  EXPECT_TRUE(transition_tries(write("t.ndjson", text), "ObjectTextSizeBytes")->empty());
  EXPECT_EQ(transition_tries(folder_.path() / "none", "x").error().code, ErrorCode::not_found);
  const auto bad = transition_tries(write("bad.ndjson", "{}\n{\"kind\":7}\n"), "x");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().describe().find("line 2"), std::string::npos) << bad.error().describe();
}

TEST_F(SynergyFiles, AGraphIsMinedFromProbes) {
  SynergySettings settings;
  // Of each name three: fewer programs have no edge.
  for (const char* const name : {"a.ll", "b.ll", "c.ll"}) {
    settings.programs.push_back(write(name, R"(
define i32 @f(i32 %x) {
  %a = add i32 %x, 1
  %b = mul i32 %a, %x
  call void @g(i32 %b)
  %c = add i32 %x, 1
  %d = mul i32 %c, %x
  ret i32 %d
}
declare void @g(i32)
)"));
  }
  settings.seconds = 0.2;
  settings.lab.folder = folder_.path() / "work";
  settings.lab.sessions = HONE_BINARY_DIR "/bin/hone-session";
  Result<ProgramLoader> loader = ProgramLoader::create({});
  ASSERT_TRUE(loader) << loader.error().describe();
  const Result<SynergyGraph> graph = mine_synergy(*loader, settings);
  ASSERT_TRUE(graph) << graph.error().describe();
  EXPECT_EQ(graph->cost, "IrInstructionCount");
  EXPECT_EQ(graph->card.programs.size(), 3U);
  EXPECT_GT(graph->card.tries, 100U);
  EXPECT_GT(graph->passes.size(), 50U);
  settings.seconds = 0;
  const Result<SynergyGraph> again = mine_synergy(*loader, settings);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(again->card.tries, graph->card.tries) << "from the logs alone";
  settings.programs = {"missing.c"};
  EXPECT_EQ(mine_synergy(*loader, settings).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace hone
