// Exports: sample batches, data cards, imported states.
#include "server/learner/buffer/buffer_export.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/document.h"
#include "server/learner/buffer/sample_batches.h"
#include "server/learner/buffer/state_import.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class BufferExport : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    const fs::path path = folder_.path() / name;
    std::ofstream(path) << text;
    return path;
  }
  fs::path batches() const { return folder_.path() / "batches"; }
  // The lines of all files, each a batch.
  std::vector<Json> read_batches(const std::string& name) const {
    std::vector<Json> all;
    for (int i = 0; fs::exists(batches() / (name + "-0000" + std::to_string(i) + ".json")); ++i) {
      std::ifstream file(batches() / (name + "-0000" + std::to_string(i) + ".json"));
      for (std::string line; std::getline(file, line);) {
        all.push_back(*parse_json(line));
      }
    }
    return all;
  }
  Json spaces() const {
    std::ifstream file(batches() / "spaces.json");
    std::stringstream text;
    text << file.rdbuf();
    return *parse_json(text.str());
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("buffer-export");
};

std::string experience(int number, const std::string& target, const std::string& rest) {
  return R"({"cursor":"1-)" + std::to_string(number) +
         R"(","id":"00000000-0000-4000-8000-00000000000)" + std::to_string(number) +
         R"(","target":")" + target +
         R"(","baseline":"O3","stage":"race","created_at":"2026-01-0)" + std::to_string(number) +
         R"(","compiler":"clang","machine":{"host":"secret-host",)" +
         R"("cpu_model":"a processor","cpus":2},)" + rest + "}\n";
}

const std::string kThree =
    experience(1, "lz4",
               R"("outcome":"ok","log_propensity":-0.5,"reward":{"value":0.25,"low":0.2,)"
               R"("high":0.3,"confidence":0.95,"pairs":12,"detectable_effect":0.01,"noise":0.01},)"
               R"("rules":[{"source":"a"}],"decisions":[{"meant":true},{"meant":false}])") +
    experience(2, "zstd",
               R"("outcome":"build_failed","reason":"exit \"1\"","log_propensity":null,)"
               R"("reward":null,"rules":[{"source":"b"}],"decisions":[])") +
    experience(3, "lz4",
               R"("outcome":"ok","verdict":"no_change","reward":null,"rules":[{"source":"a"}],)"
               R"("decisions":[])");

TEST_F(BufferExport, ExperiencesAreEpisodesOfOneStep) {
  const Result<ExportCounts> done =
      export_experience_batches(write("x.ndjson", kThree), batches(), {});
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(done->rows, 3U);
  EXPECT_EQ(done->without_reward, 2U);
  const std::vector<Json> all = read_batches("experiences");
  ASSERT_EQ(all.size(), 1U);
  const Json& batch = all[0];
  EXPECT_EQ(batch["type"], "SampleBatch");
  EXPECT_EQ(batch["actions"], (Json{0, 1, 0}));
  EXPECT_EQ(spaces()["actions"], (Json{{{{"source", "a"}}}, {{{"source", "b"}}}}));
  EXPECT_EQ(batch["rewards"], (Json{0.25, 0.0, 0.0}));
  EXPECT_EQ(batch["reward_known"], (Json{1, 0, 0}));
  EXPECT_EQ(batch["action_logp"], (Json{-0.5, -1e30, -1e30}));
  EXPECT_EQ(batch["action_prob"][0], std::exp(-0.5));
  EXPECT_EQ(batch["action_prob"][1], 0.0) << "never a weight that nobody knows";
  EXPECT_EQ(batch["action_logp_known"], (Json{1, 0, 0}));
  EXPECT_EQ(batch["terminateds"], (Json{true, true, true}));
  EXPECT_EQ(batch["truncateds"], (Json{false, false, false}));
  EXPECT_NE(batch["eps_id"][0], batch["eps_id"][1].get<std::int64_t>() + 1);
  EXPECT_EQ(batch["infos"][1]["outcome"], "build_failed");
  EXPECT_EQ(batch["infos"][1]["reason"], "exit \"1\"");
  EXPECT_EQ(batch["infos"][2]["verdict"], "no_change");
  const Json names = spaces()["observation"];
  ASSERT_EQ(names.size(), batch["obs"][0].size());
  EXPECT_EQ(names[0], "target=lz4");
  EXPECT_EQ(batch["obs"][0][0], 1.0);
  EXPECT_EQ(batch["obs"][1][0], 0.0);
  EXPECT_EQ(batch["obs"][0].back(), std::log1p(1.0));
}

TEST_F(BufferExport, RowsHaveContextAndKnobsAndARewardEach) {
  const std::string text =
      experience(1, "lz4",
                 R"("outcome":"ok","log_propensity":-0.5,"reward":{"value":0.25},)"
                 R"("rules":[{"knobs":{"unroll-count":"4","vectorize-slp":"false"}},)"
                 R"({"knobs":{"unroll-count":"8","odd":"text"}}],"decisions":[])") +
      experience(2, "zstd", R"("outcome":"ok","reward":{"value":-1},"rules":[],"decisions":[])") +
      experience(3, "lz4", R"("outcome":"build_failed","reason":"x","reward":null,"rules":[])");
  const fs::path output = folder_.path() / "rows.ndjson";
  const Result<ExportCounts> done = export_experience_rows(write("x.ndjson", text), output, {});
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(done->rows, 2U);
  EXPECT_EQ(done->without_reward, 1U);
  std::ifstream file(output);
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(*parse_json(line));
  }
  ASSERT_EQ(lines.size(), 3U);
  const std::size_t size = lines[0]["features"].size();
  EXPECT_EQ(lines[0]["format"], "hone-rows/1");
  EXPECT_EQ(lines[0]["features"][size - 2], "knob unroll-count");
  EXPECT_EQ(lines[0]["features"][size - 1], "knob vectorize-slp");
  ASSERT_EQ(lines[1]["features"].size(), size);
  EXPECT_EQ(lines[1]["features"][size - 2], 4) << "the first rule that sets it";
  EXPECT_EQ(lines[1]["features"][size - 1], 0);
  EXPECT_EQ(lines[1]["reward"], 0.25);
  EXPECT_EQ(lines[1]["program"], "lz4");
  EXPECT_EQ(lines[1]["log_propensity"], -0.5);
  EXPECT_EQ(lines[2]["features"][size - 1], -1) << "left as it is";
  EXPECT_FALSE(lines[2].contains("log_propensity"));
}

TEST_F(BufferExport, ACardSaysWhatFailedAndNamesNoMachine) {
  const Result<std::string> card = experience_card(write("x.ndjson", kThree), {});
  ASSERT_TRUE(card) << card.error().describe();
  EXPECT_NE(card->find("3 rows, from 2026-01-01 to 2026-01-03"), std::string::npos) << *card;
  EXPECT_NE(card->find("`1-3`"), std::string::npos);
  EXPECT_NE(card->find("| build_failed | 1 |"), std::string::npos);
  EXPECT_NE(card->find("| a processor, 2 processors | 3 |"), std::string::npos);
  EXPECT_EQ(card->find("secret-host"), std::string::npos);
}

std::string step(int number, const std::string& episode, const std::string& kind,
                 const std::string& rest) {
  return R"({"cursor":"1-)" + std::to_string(number) + R"(","kind":")" + kind + R"(","episode":")" +
         episode + R"(","step":)" + std::to_string(number) + "," + rest + "}\n";
}

TEST_F(BufferExport, SessionsAreEpisodesOfManySteps) {
  const std::string a = "aaaaaaaa-0000-4000-8000-000000000000";
  const std::string b = "bbbbbbbb-0000-4000-8000-000000000000";
  const std::string text =
      step(0, a, "begin", R"("next_state":"s0","features":{"Autophase":[1,2]})") +
      step(1, a, "step",
           R"("state":"s0","next_state":"s1","pipelines":["x","y"],"applied":2,"outcome":"ok",)"
           R"("rewards":{"IrInstructionCountOz":0.5,"Other":9},"log_propensities":[-1,-2],)"
           R"("features":{"Autophase":[3,4]})") +
      step(2, b, "step",
           R"("state":"s9","next_state":"s0","pipelines":["x"],"applied":1,"outcome":"ok",)"
           R"("rewards":{},"features":null)") +
      step(3, a, "undo", R"("state":"s1","next_state":"s0","features":null)") +
      step(4, a, "step",
           R"("state":"s0","next_state":"s0","pipelines":["z"],"applied":0,"outcome":"crashed",)"
           R"("reason":"signal","rewards":{"IrInstructionCountOz":7},"features":null)") +
      step(5, a, "end", R"("reason":"closed","entries":5)");
  const fs::path ndjson = write("t.ndjson", text);
  const Result<ExportCounts> done =
      export_session_batches(ndjson, batches(), "Autophase", "IrInstructionCountOz", {});
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(done->batches, 2U);
  const std::vector<Json> all = read_batches("sessions");
  ASSERT_EQ(all.size(), 2U);
  const Json& whole = all[0];
  EXPECT_EQ(whole["obs"], (Json{{1.0, 2.0}, {1.0, 2.0}}));
  EXPECT_EQ(whole["new_obs"], (Json{{3.0, 4.0}, {1.0, 2.0}}));
  EXPECT_EQ(whole["rewards"], (Json{0.5, 0.0})) << "a step that failed has none";
  EXPECT_EQ(whole["reward_known"], (Json{1, 0}));
  EXPECT_EQ(whole["action_logp"][0], -3.0);
  EXPECT_EQ(whole["terminateds"], (Json{false, true}));
  EXPECT_EQ(whole["unroll_id"], (Json{0, 1})) << "what an undo came before does not follow";
  EXPECT_EQ(whole["t"], (Json{1, 4}));
  EXPECT_EQ(whole["infos"][1]["reason"], "signal");
  EXPECT_EQ(spaces()["actions"][0], "x,y");
  const Json& open = all[1];
  EXPECT_EQ(open["obs_known"], (Json{0})) << "nobody looked at s9";
  EXPECT_EQ(open["new_obs_known"], (Json{1}));
  EXPECT_EQ(open["truncateds"], (Json{true})) << "its end is not there";
  EXPECT_EQ(open["terminateds"], (Json{false}));

  const Result<ExportCounts> none =
      export_session_batches(ndjson, batches(), "InstCount", "IrInstructionCountOz", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::not_found);
  EXPECT_NE(none.error().message.find("'InstCount'"), std::string::npos);
}

TEST_F(BufferExport, WhatIsNoLineIsTold) {
  const Result<ExportCounts> done =
      export_experience_batches(write("x.ndjson", kThree + "{\"id\":7}\n"), batches(), {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(done.error().describe().find("x.ndjson"), std::string::npos);
  EXPECT_NE(done.error().describe().find("\"id\""), std::string::npos);
}

TEST(ActionTable, NumbersInOrderOfAppearance) {
  ActionTable actions;
  EXPECT_EQ(*actions.number_of("b"), 0);
  EXPECT_EQ(*actions.number_of("a"), 1);
  EXPECT_EQ(*actions.number_of("b"), 0);
  EXPECT_EQ(actions.list(), (std::vector<std::string>{"b", "a"}));
}

TEST(StateImport, TakesWhatIsAStateAndNamesTheRest) {
  const Result<StateImport> import = import_states(
      "benchmark,reward,walltime,commandline\n"
      "benchmark://cbench-v1/crc32,0.25,1.5,opt -sroa -gvn input.bc -o output.bc\n"
      "benchmark://cbench-v1/sha,much,1.5,opt -sroa input.bc -o output.bc\n"
      "benchmark://cbench-v1/sha,,2,opt -no-such-pass input.bc -o output.bc\n"
      "benchmark://cbench-v1/qsort,,0,opt input.bc -o output.bc\n");
  ASSERT_TRUE(import) << import.error().describe();
  EXPECT_EQ(import->accepted, 2U);
  std::istringstream lines(import->lines);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const Json first = *parse_json(line);
  EXPECT_EQ(first["benchmark"], "benchmark://cbench-v1/crc32");
  EXPECT_EQ(first["reward"], 0.25);
  EXPECT_EQ(first["walltime"], 1.5);
  EXPECT_EQ(first["pipelines"].size(), 2U);
  EXPECT_EQ(first["line"], 2);
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ((*parse_json(line))["reward"], Json()) << "none was asked for: none is made up";
  ASSERT_EQ(import->refused.size(), 2U);
  EXPECT_TRUE(import->refused[0].starts_with("line 3: ")) << import->refused[0];
  EXPECT_NE(import->refused[0].find("reward: 'much'"), std::string::npos) << import->refused[0];
  EXPECT_TRUE(import->refused[1].starts_with("line 4: ")) << import->refused[1];
  EXPECT_NE(import->refused[1].find("no-such-pass"), std::string::npos) << import->refused[1];
  EXPECT_FALSE(import_states("benchmark,reward\n"));
}

}  // namespace
}  // namespace hone
