#include "build_integration/programs/manifest.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"

namespace hone {
namespace {

class ManifestTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file_atomically(folder_.path() / "a.c", "int main(void) { return 0; }\n"));
    ASSERT_TRUE(write_file_atomically(folder_.path() / "out", "x\n"));
  }
  std::string problems(const Json& document) {
    const auto manifest = parse_manifest(document, folder_.path());
    return manifest ? "" : manifest.error().describe();
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-manifest-test-");
};

TEST_F(ManifestTest, ProgramsAndTheirRunsAreRead) {
  const auto manifest = parse_manifest(Json::parse(R"({"name": "mine-v3", "programs": [
      {"name": "a", "sources": ["a.c"], "flags": ["-DX"], "link": ["-lm"], "runs": [
        {"arguments": ["1", ""], "input": "i", "output_file": "out", "exit_code": 3, "seconds": 5},
        {}]},
      {"name": "b/c", "sources": ["a.c", "a.c"]}]})"),
                                       folder_.path());
  ASSERT_TRUE(manifest) << manifest.error().describe();
  const ManifestProgram a = *manifest->find("a");
  EXPECT_EQ(a.sources.front(), folder_.path() / "a.c");
  EXPECT_EQ(a.flags, std::vector<std::string>{"-DX"});
  ASSERT_EQ(a.runs.size(), 2U);
  EXPECT_EQ(a.runs[0].arguments, (std::vector<std::string>{"1", ""}));
  EXPECT_EQ(a.runs[0].input, "i");
  EXPECT_EQ(a.runs[0].output, "x\n");
  EXPECT_EQ(a.runs[0].exit_code, 3);
  EXPECT_EQ(a.runs[0].limit, std::chrono::seconds(5));
  EXPECT_EQ(a.runs[1].output, std::nullopt);
  EXPECT_TRUE(manifest->find("b/c")->runs.empty());
  EXPECT_EQ(manifest->find("c").error().message, "no program 'c' in mine-v3: there are a, b/c");
}

TEST_F(ManifestTest, EveryBadFieldIsNamed) {
  const std::string text = problems(Json::parse(R"({"name": "mine", "extra": 1, "programs": [
      {"name": "../a", "sources": ["b.c", "a.txt"], "runs": [
        {"output": "x", "output_file": "out", "exit_code": 300, "seconds": 0, "input_file": "no"}]},
      {"name": "x", "sources": []}, {"name": "x", "sources": ["a.c"], "flag": []}]})"));
  for (const char* expected :
       {"/name: \"mine\" must be a name with a version tag", "/extra", "/programs/0/name",
        "\"b.c\" must be a file", "'a.txt' must end in", "/programs/0/runs/0/output_file: either",
        "/programs/0/runs/0/exit_code", "/programs/0/runs/0/seconds",
        "/programs/0/runs/0/input_file: \"no\"", "/programs/1/sources",
        "/programs/2/name: \"x\" is another program's already", "/programs/2/flag"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
  EXPECT_NE(problems(Json::parse(R"({"name": "a-v0"})")).find("/programs"), std::string::npos);
}

}  // namespace
}  // namespace hone
