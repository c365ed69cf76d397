#include "build_integration/cli/target_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

TEST(TargetFile, RecipesOfTheExamplesAreValid) {
  for (const char* product : {"lz4", "double-conversion"}) {
    const Result<TargetSpec> spec =
        read_target_file(std::filesystem::path(HONE_SOURCE_DIR) / "deploy/examples/products" /
                         product / "hone.yaml");
    ASSERT_TRUE(spec.has_value()) << spec.error().describe();
    EXPECT_EQ(spec->name, product);
    EXPECT_FALSE(spec->tune.include.empty());
    EXPECT_FALSE(spec->benchmark.inputs.empty());
  }
}

TEST(TargetFile, EveryBadFieldIsNamedWithItsLine) {
  const Result<TargetSpec> spec = parse_target_text(
      "name: lz4\n"
      "build:\n"
      "  cmake: {source: .}\n"
      "  binaries: [lz4]\n"
      "  timeout_seconds: soon\n"
      "benchmark:\n"
      "  comand: [lz4]\n");
  ASSERT_FALSE(spec.has_value());
  const std::string text = spec.error().describe();
  EXPECT_NE(text.find("/build/timeout_seconds: line 5"), std::string::npos) << text;
  EXPECT_NE(text.find("/benchmark/comand: line 7"), std::string::npos) << text;
  EXPECT_NE(text.find("/benchmark/command: line 6"), std::string::npos) << text;
}

TEST(TargetFile, UnquotedOptionIsExplained) {
  const Result<TargetSpec> spec = parse_target_text(
      "name: lz4\n"
      "build: {cmake: {}, binaries: [lz4]}\n"
      "benchmark:\n"
      "  command: [lz4, -9]\n");
  ASSERT_FALSE(spec.has_value());
  EXPECT_NE(spec.error().describe().find("quote it: \"-9\""), std::string::npos)
      << spec.error().describe();
}

TEST(TargetFile, ErrorsNameTheFile) {
  const TemporaryFolder folder = *TemporaryFolder::create("target");
  const std::filesystem::path file = folder.path() / "hone.yaml";
  ASSERT_TRUE(write_file_atomically(file, "name: [").has_value());
  EXPECT_NE(read_target_file(file).error().message.find(file.string()), std::string::npos);
  EXPECT_EQ(read_target_file(folder.path() / "none.yaml").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace hone
