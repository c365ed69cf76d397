#include "build_integration/programs/program_loader.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "build_integration/programs/tool.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class ProgramLoaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tool_identity("clang-19").empty()) {
      GTEST_SKIP() << "no clang-19";
    }
    setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
    write("a.c", "int f(int x) { return x + A; }\n");
    write("b.c", "int f(int); int main(void) { return f(1) - 3; }\n");
    write("compile_commands.json",
          R"([{"directory": ".", "file": "a.c", "command": "cc -DA=2 -c a.c -o a.o"}])");
    write("mine.json", R"({"name": "mine-v0", "programs": [
        {"name": "two", "sources": ["a.c", "b.c"], "flags": ["-DA=2"], "runs": [{}]}]})");
  }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, text));
  }
  ProgramLoader loader(std::vector<fs::path> manifests = {}) {
    ProgramLoaderSettings settings;
    settings.read_document = [](const fs::path& path) -> Result<Json> {
      HONE_TRY(const std::string text, read_file(path, 1U << 20U));
      return parse_json(text);
    };
    settings.manifests = std::move(manifests);
    return *ProgramLoader::create(std::move(settings));
  }
  static std::string error(const Result<Program>& program) {
    return program ? "no error" : program.error().describe();
  }
  static std::string content(const Result<Program>& program) {
    EXPECT_TRUE(program) << error(program);
    return program ? *read_file(program->file, 1U << 24U) : "";
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-loader-test-");
};

TEST_F(ProgramLoaderTest, AUnitOfAProductIsCompiledWithItsOwnFlags) {
  ProgramLoader programs = loader();
  const auto unit = programs.load("compdb://" + at("compile_commands.json") + "#a.c");
  EXPECT_TRUE(content(unit).starts_with("BC")) << error(unit);
  EXPECT_EQ(unit->uri, "compdb://" + at("compile_commands.json") + "#a.c");
  EXPECT_EQ(*programs.list("compdb://" + at("compile_commands.json")),
            std::vector<std::string>{unit->uri});
  // Without the flag, clang says what is wrong.
  EXPECT_NE(error(programs.load(at("a.c"))).find("undeclared identifier 'A'"), std::string::npos);
  EXPECT_NE(error(programs.load("compdb://" + at("compile_commands.json"))).find("there are a.c"),
            std::string::npos);
  EXPECT_NE(error(programs.load("compdb://x.json#a.c")).find("absolute"), std::string::npos);
}

TEST_F(ProgramLoaderTest, AFileIsFoundByItsUriAgain) {
  ProgramLoader programs = loader();
  write("we#ird?.c", "int x;\n");
  const auto program = programs.load(at("we#ird?.c"));
  EXPECT_EQ(program->uri, "file://" + at("we#ird?.c"));
  EXPECT_EQ(content(programs.load(program->uri)).size(), content(program).size());
  EXPECT_EQ(programs.load(at("none.bc")).error().code, ErrorCode::not_found);
  EXPECT_NE(error(programs.load(at("mine.json"))).find("must end in"), std::string::npos);
  EXPECT_NE(error(programs.load("none")).find("generator://csmith-v0/SEED"), std::string::npos);
}

TEST_F(ProgramLoaderTest, AManifestsProgramIsOneModuleAndHasItsRuns) {
  if (tool_identity("llvm-link-19").empty()) {
    GTEST_SKIP() << "no llvm-link-19";
  }
  ProgramLoader programs = loader({at("mine.json")});
  const auto program = programs.load("mine-v0/two");
  EXPECT_TRUE(content(program).starts_with("BC")) << error(program);
  EXPECT_EQ(program->uri, "benchmark://mine-v0/two");
  EXPECT_EQ(program->runs.size(), 1U);
  EXPECT_EQ(programs.load("manifest://" + at("mine.json") + "#two")->runs.size(), 1U);
  EXPECT_EQ(*programs.list("benchmark://mine-v0"),
            std::vector<std::string>{"benchmark://mine-v0/two"});
  EXPECT_NE(error(programs.load("mine-v0/three")).find("there are two"), std::string::npos);
}

TEST_F(ProgramLoaderTest, WithoutAReaderAManifestIsRefused) {
  Result<ProgramLoader> loader = ProgramLoader::create({});
  ASSERT_TRUE(loader) << loader.error().describe();
  const Result<Program> program = loader->load("manifest:///mine.yaml#sort");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::unsupported);
}

TEST_F(ProgramLoaderTest, ASeedGivesOneProgramAndComesFromTheCache) {
  for (const std::string generator : {"csmith", "llvm-stress"}) {
    if (tool_identity(generator == "csmith" ? "csmith" : "llvm-stress-19").empty()) {
      continue;  // ASeedWithoutItsGenerator... has this case
    }
    const std::string name = "generator://" + generator + "-v0/";
    const auto program = loader().load(name + "7");
    const std::string first = content(program);
    EXPECT_EQ(program->runs.empty(), generator != "csmith");
    EXPECT_EQ(loader().load(name + "7")->file, program->file);
    fs::remove(program->file);
    EXPECT_EQ(content(loader().load(name + "7")), first);
    EXPECT_NE(content(loader().load(name + "8")), first);
    EXPECT_NE(error(loader().load(name + "4294967296")).find("0 to 4294967295"), std::string::npos);
    EXPECT_NE(error(loader().load(name + "x")).find("seed 'x'"), std::string::npos);
    EXPECT_EQ(loader().list(name).error().code, ErrorCode::unsupported);
  }
}

TEST_F(ProgramLoaderTest, AMissingGeneratorIsNamedWithItsPackage) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  const std::string csmith = error(loader().load("generator://csmith-v0/1"));
  const std::string stress = error(loader().load("generator://llvm-stress-v0/1"));
  setenv("PATH", path.c_str(), 1);
  EXPECT_NE(csmith.find("csmith is not installed (Debian: apt-get install csmith"),
            std::string::npos)
      << csmith;
  EXPECT_NE(stress.find("apt-get install llvm-19)"), std::string::npos) << stress;
}

TEST_F(ProgramLoaderTest, UnknownDataSetsAreToldWhatThereIs) {
  ProgramLoader programs = loader();
  EXPECT_NE(error(programs.load("benchmark://cbench-v1/qsort")).find("benchmark://debian-v0"),
            std::string::npos);
  EXPECT_NE(error(programs.load("csmith-v0/3")).find("generator://csmith-v0/3"), std::string::npos);
  EXPECT_NE(error(programs.load("http://x-v0/y")).find("scheme"), std::string::npos);
  EXPECT_NE(error(programs.load("debian-v0/zstd")).find("PACKAGE/FILE"), std::string::npos);
  EXPECT_NE(error(programs.load("debian-v0/-x/y.c")).find("'-x' must be the name"),
            std::string::npos);
  EXPECT_EQ(programs.list("cbench-v1").error().code, ErrorCode::not_found);
  EXPECT_EQ(programs.list("generator://cbench-v1").error().code, ErrorCode::not_found);
  for (const std::string name : {"csmith-v0", "generator://csmith-v0"}) {
    const Error none = programs.list(name).error();
    EXPECT_EQ(none.code, ErrorCode::unsupported);
    EXPECT_NE(none.message.find("like generator://csmith-v0/42"), std::string::npos)
        << none.message;
  }
}

}  // namespace
}  // namespace hone
