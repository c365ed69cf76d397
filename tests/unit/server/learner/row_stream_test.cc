// RowReader, ExperienceStream: lines of the streams, from honed and from files.
#include <fstream>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "server/learner/buffer/experience_stream.h"
#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

constexpr std::string_view kWhole =
    R"({"cursor":"9-1","id":"u","source":"staging","target":"lz4","target_version":3,"job":"j",)"
    R"("attempt":"a","campaign":"c","candidate_set":"s","candidate":"k","candidate_index":4,)"
    R"("log_propensity":-1.5,"stage":"race","baseline":"O3","outcome":"ok","reason":null,)"
    R"("verdict":"faster","reward":{"value":0.02,"low":0.01,"high":0.03,"confidence":0.95,)"
    R"("pairs":24,"detectable_effect":0.015,"noise":0.01},"reused_attempt":null,)"
    R"("rules":[{"source":"*", "pipeline":"default<O3>"}],"decisions":[{"source":"a.c",)"
    R"("output":"a.o","state_id":"aa","pipeline_hash":"bb","tuned":true,"meant":true,)"
    R"("reason":null,"log_propensity":-0.5},{"source":"b.c","output":"b.o","state_id":null,)"
    R"("pipeline_hash":null,"tuned":false,"meant":true,"reason":"it \"crashed\"",)"
    R"("log_propensity":null}],"machine":{"host":"h","cpu_model":"m","cpus":8,"new":[1]},)"
    R"("compiler":"clang","created_at":"2026-01-01T00:00:00.000Z","something_new":{"x":[null]}})";

std::string failure(int number) {
  return R"({"cursor":"9-)" + std::to_string(number) + R"(","id":"f","target":"lz4",)" +
         R"("outcome":"build_failed","reason":"exit code 1","reward":null,"decisions":[]})" + "\n";
}

Result<Experience> parse(std::string_view line) {
  RowReader reader;
  Experience row;
  reader.begin(line);
  EXPECT_TRUE(reader.next());
  HONE_CHECK(reader.read(row));
  return row;
}

TEST(RowReader, AnExperienceIsWhole) {
  const Result<Experience> parsed = parse(kWhole);
  ASSERT_TRUE(parsed) << parsed.error().describe();
  const Experience& row = *parsed;
  EXPECT_EQ(row.cursor, "9-1");
  EXPECT_EQ(row.target, "lz4");
  EXPECT_EQ(row.target_version, 3);
  EXPECT_EQ(row.candidate_index, 4);
  EXPECT_EQ(row.log_propensity, -1.5);
  EXPECT_EQ(row.reason, "");
  ASSERT_TRUE(row.reward);
  EXPECT_EQ(row.reward->value, 0.02);
  EXPECT_EQ(row.reward->pairs, 24);
  EXPECT_EQ(row.rules, R"([{"source":"*", "pipeline":"default<O3>"}])");
  ASSERT_EQ(row.decisions.size(), 2U);
  EXPECT_EQ(row.decisions[0].log_propensity, -0.5);
  EXPECT_TRUE(row.decisions[0].tuned);
  EXPECT_EQ(row.decisions[1].state_id, "");
  EXPECT_EQ(row.decisions[1].reason, "it \"crashed\"");
  EXPECT_FALSE(row.decisions[1].log_propensity);
  EXPECT_EQ(row.cpus, 8);
  EXPECT_EQ(row.created_at, "2026-01-01T00:00:00.000Z");
}

TEST(RowReader, NothingOfTheLineBeforeIsLeft) {
  RowReader reader;
  Experience row;
  reader.begin(std::string(kWhole) + "\n" + R"({"cursor":"9-2"})");
  ASSERT_TRUE(reader.next());
  ASSERT_TRUE(reader.read(row));
  ASSERT_TRUE(reader.next());
  ASSERT_TRUE(reader.read(row));
  EXPECT_EQ(row.cursor, "9-2");
  EXPECT_EQ(row.target, "");
  EXPECT_FALSE(row.reward);
  EXPECT_FALSE(row.log_propensity);
  EXPECT_EQ(row.rules, "");
  EXPECT_TRUE(row.decisions.empty());
  EXPECT_EQ(row.host, "");
  EXPECT_FALSE(reader.next());
}

TEST(RowReader, AValueOfAnotherKindIsNamed) {
  for (const auto& [line, key] : std::vector<std::pair<std::string, std::string>>{
           {R"({"target":7})", "target"},
           {R"({"candidate_index":1.5})", "candidate_index"},
           {R"({"reward":{"value":"x"}})", "reward"},
           {R"({"decisions":[{"tuned":1}]})", "decisions"},
           {R"({"machine":[]})", "machine"}}) {
    const Result<Experience> parsed = parse(line);
    ASSERT_FALSE(parsed) << line;
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(parsed.error().message.find("\"" + key + "\""), std::string::npos)
        << parsed.error().message;
  }
  for (const char* line : {"x", "[1]", R"({"target":"a")", R"({"target":"a"}{})"}) {
    EXPECT_FALSE(parse(line)) << line;
  }
}

TEST(RowReader, AStepIsWhole) {
  RowReader reader;
  SessionStep row;
  reader.begin(
      R"({"cursor":"5-2","kind":"step","step":1,"state":"s0","next_state":null,"length":1,)"
      R"("rewards":{"IrInstructionCountOz": 0.5},"end_of_episode":false,"at":"t","episode":"e",)"
      R"("session":"x","program":"p","start":"open","machine":{"host":"h"},"compiler":"LLVM",)"
      R"x("pipelines":["function(sroa)","gvn"],"applied":1,"changed":true,"outcome":"crashed",)x"
      R"("reason":"signal","log_propensities":[-0.5,-1],"features":{"Autophase": [1, 2]}})");
  ASSERT_TRUE(reader.next());
  const Result<void> read = reader.read(row);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(row.kind, "step");
  EXPECT_EQ(row.next_state, "");
  EXPECT_EQ(row.pipelines, (std::vector<std::string>{"function(sroa)", "gvn"}));
  EXPECT_EQ(row.log_propensities, (std::vector<double>{-0.5, -1}));
  EXPECT_EQ(row.rewards.at(0).first, "IrInstructionCountOz");
  EXPECT_EQ(row.outcome, "crashed");
  EXPECT_EQ(*feature_vector(row.features, "Autophase"), (std::vector<double>{1, 2}));
  EXPECT_TRUE(feature_vector(row.features, "InstCount")->empty());
  EXPECT_FALSE(feature_vector("[1]", "InstCount"));
}

TEST(ExperienceStream, GoesOnBehindTheRowThatItStoppedAt) {
  const std::string body = failure(1) + failure(2) + failure(3);
  const ScriptedHttpServer server(
      {{http_response("200 OK", body)}, {http_response("200 OK", failure(3))}});
  ClientOptions options;
  options.url = server.url();
  const Client client = *Client::create(options);
  ExperienceStream stream({.client = &client, .file = {}}, "");
  std::vector<std::string> seen;
  const ExperienceStream::Sink two = [&](const Experience& row, std::string_view) {
    seen.push_back(row.cursor);
    EXPECT_EQ(row.reason, "exit code 1");
    return Result<bool>(seen.size() != 2);
  };
  ASSERT_TRUE(stream.read(two));
  EXPECT_EQ(stream.cursor(), "9-2");
  ASSERT_TRUE(stream.read(two));
  EXPECT_EQ(seen, (std::vector<std::string>{"9-1", "9-2", "9-3"}));
  EXPECT_TRUE(server.requests().at(1).starts_with("GET /v1/experiences?after=9-2 "));
}

TEST(ExperienceStream, AFileIsReadFromACursorOn) {
  const TemporaryFolder folder = *TemporaryFolder::create("row-stream");
  const std::filesystem::path path = folder.path() / "x.ndjson";
  {
    std::ofstream file(path);
    for (int i = 1; i <= 30'000; ++i) {  // several blocks
      file << failure(i);
    }
  }
  for (const auto& [after, expected] : std::vector<std::pair<std::string, int>>{
           {"", 30'000}, {"9-1", 29'999}, {"9-29999", 1}, {"9-30000", 0}}) {
    ExperienceStream stream({.client = nullptr, .file = path}, after);
    int rows = 0;
    ASSERT_TRUE(stream.read([&](const Experience&, std::string_view) {
      ++rows;
      return Result<bool>(true);
    }));
    EXPECT_EQ(rows, expected) << after;
    EXPECT_EQ(stream.cursor(), "9-30000");
  }
  ExperienceStream other({.client = nullptr, .file = path}, "9-3000");
  int rows = 0;
  ASSERT_TRUE(other.read([&](const Experience& row, std::string_view) {
    EXPECT_TRUE(rows > 0 || row.cursor == "9-3001");
    ++rows;
    return Result<bool>(rows < 5);
  }));
  EXPECT_EQ(other.cursor(), "9-3005");
  ExperienceStream lost({.client = nullptr, .file = path}, "8-1");
  EXPECT_EQ(lost.read([](const Experience&, std::string_view) { return Result<bool>(true); })
                .error()
                .code,
            ErrorCode::not_found);
}

}  // namespace
}  // namespace hone
