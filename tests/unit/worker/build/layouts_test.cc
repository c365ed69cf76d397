#include "worker/build/layouts.h"

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/links/link_copies.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class LayoutsOfABuild : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("layouts-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    for (const char* side : {"base", "cand"}) {
      fs::create_directories(build(side) / "bin");
    }
    toolchain_.link_launcher = "/opt/hone-link";
    target_.build.binaries = {"bin/app", "other"};
    target_.benchmark.command = {"{build}/bin/app", "-9"};
  }
  fs::path build(const std::string& side) const { return folder_->path() / side; }
  void link(const std::string& side, std::size_t copies, const std::string& why = "") {
    const fs::path program = build(side) / "bin/app";
    ASSERT_TRUE(write_file_atomically(program, side, 0755).has_value());
    for (std::size_t number = 1; number <= copies; ++number) {
      ASSERT_TRUE(write_file_atomically(link_copy(program, number), "copy", 0755).has_value());
    }
    ASSERT_TRUE(note_link_copies(program, hash128(side), copies, why).has_value());
  }
  Layouts find() const { return find_layouts(target_, toolchain_, build("base"), build("cand")); }
  std::string warning() const {
    const Layouts found = find();
    return found.warnings.empty() ? "" : found.warnings.front();
  }

  std::optional<TemporaryFolder> folder_;
  Toolchain toolchain_;
  TargetSpec target_;
};

TEST_F(LayoutsOfABuild, AreOneWhereTheyMakeNoDifferenceAndNothingIsMissingThen) {
  link("base", 7);
  link("cand", 7);
  for (const Metric metric :
       {Metric::instructions, Metric::text_bytes, Metric::binary_bytes, Metric::compile_time}) {
    target_.benchmark.metric.metric = metric;
    EXPECT_EQ(find().count, 1U) << to_string(metric);
    EXPECT_EQ(warning(), "");
    EXPECT_FALSE(wants_links(target_, toolchain_));
  }
  target_.benchmark.metric.metric = Metric::cycles;
  EXPECT_EQ(find().count, 8U);
}

TEST_F(LayoutsOfABuild, AreThoseThatBothSidesHave) {
  link("base", 7);
  link("cand", 7);
  EXPECT_EQ(find().count, 8U);
  EXPECT_EQ(warning(), "");
  link("cand", 3, "time was up");
  fs::remove(link_copy(build("cand") / "bin/app", 4));
  EXPECT_EQ(find().count, 4U);
  EXPECT_NE(warning().find("4 links"), std::string::npos) << warning();
  EXPECT_NE(warning().find("the candidate's 'bin/app': time was up"), std::string::npos)
      << warning();
}

TEST_F(LayoutsOfABuild, AreNoMoreThanAskedFor) {
  link("base", 7);
  link("cand", 7);
  target_.benchmark.links = 4;
  EXPECT_EQ(find().count, 4U);
  EXPECT_EQ(warning(), "");
}

TEST_F(LayoutsOfABuild, OneLinkIsNeverSilent) {
  link("base", 7);
  EXPECT_EQ(find().count, 1U);
  EXPECT_NE(warning().find("one link"), std::string::npos) << warning();
  EXPECT_NE(warning().find("the candidate's"), std::string::npos) << warning();
  link("cand", 7);
  target_.benchmark.links = 1;
  EXPECT_NE(warning().find("benchmark.links is 1"), std::string::npos) << warning();
  target_.benchmark.links = 8;
  toolchain_.link_launcher.clear();
  EXPECT_NE(warning().find("hone-link"), std::string::npos) << warning();
}

TEST_F(LayoutsOfABuild, TheCommandMustBeginWithABinaryOfTheBuild) {
  EXPECT_EQ(measured_program(target_), "bin/app");
  target_.benchmark.command = {"{build}/./bin/app"};
  EXPECT_EQ(measured_program(target_), "bin/app");
  for (const char* first :
       {"sh", "{source}/bin/app", "{build}/bin", "{build}/app", "bin/app", ""}) {
    target_.benchmark.command = {first, "{build}/bin/app"};
    EXPECT_EQ(measured_program(target_), "") << first;
    EXPECT_FALSE(wants_links(target_, toolchain_)) << first;
    EXPECT_TRUE(link_environment(target_, toolchain_).empty()) << first;
  }
  EXPECT_NE(warning().find("does not begin with"), std::string::npos) << warning();
}

TEST_F(LayoutsOfABuild, TheEnvironmentTellsHoneLink) {
  EXPECT_EQ(link_environment(target_, toolchain_),
            (std::vector<std::string>{"HONE_LINK_PROGRAM=bin/app", "HONE_LINK_COPIES=7"}));
  target_.benchmark.links = 1;
  EXPECT_TRUE(link_environment(target_, toolchain_).empty());
}

TEST_F(LayoutsOfABuild, ThePlainLinkRunsAsTheCommandSays) {
  link("base", 7);
  link("cand", 7);
  const Layouts found = find();
  EXPECT_EQ(layout_file(found, "/b", 0), "");
  EXPECT_EQ(layout_file(found, "/b", 3), "/b/bin/app.hone-link-3");
}

TEST_F(LayoutsOfABuild, SharedLibrariesStayWhereTheyAre) {
  link("base", 7);
  link("cand", 7);
  target_.build.binaries.emplace_back("lib/libx.so.1");
  EXPECT_EQ(find().count, 8U);
  EXPECT_NE(warning().find("shared libraries"), std::string::npos) << warning();
}

}  // namespace
}  // namespace hone
