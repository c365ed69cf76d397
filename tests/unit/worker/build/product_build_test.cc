#include "worker/build/product_build.h"

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/subprocess.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class PrepareRebuild : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("rebuild-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    target_.build.cmake = CMakeSpec{};
    target_.build.binaries = {"bench", "lib/x.so"};
    for (const char* name : {"build.ninja", "bench", "lib/x.so", "a/b.c.o", "a/generated.c"}) {
      make(std::string("build/") + name);
    }
  }
  void make(const std::string& name) {
    fs::create_directories((folder_->path() / name).parent_path());
    ASSERT_TRUE(write_file_atomically(folder_->path() / name, "x").has_value());
  }
  fs::path build() const { return folder_->path() / "build"; }

  std::optional<TemporaryFolder> folder_;
  TargetSpec target_;
};

TEST_F(PrepareRebuild, RemovesObjectsAndBinariesAndKeepsTheRest) {
  EXPECT_TRUE(prepare_rebuild(target_, build()));
  EXPECT_FALSE(fs::exists(build() / "a/b.c.o"));
  EXPECT_FALSE(fs::exists(build() / "bench"));
  EXPECT_FALSE(fs::exists(build() / "lib/x.so"));
  EXPECT_TRUE(fs::exists(build() / "a/generated.c"));
  EXPECT_TRUE(fs::exists(build() / "build.ninja"));
}

TEST_F(PrepareRebuild, StartsFromNothingWhereItCannotKnow) {
  TargetSpec by_commands = target_;
  by_commands.build.cmake.reset();
  EXPECT_FALSE(prepare_rebuild(by_commands, build()));
  make("build/dep-prefix/src/dep-stamp/dep-build");
  EXPECT_FALSE(prepare_rebuild(target_, build())) << "a nested build";
  EXPECT_FALSE(prepare_rebuild(target_, folder_->path() / "not-configured"));
}

TEST(BuildInCopy, IsForCommandsThatDoNotSayWhereTheSourceIs) {
  TargetSpec target;
  target.build.commands = {{"sh", "configure"}, {"make", "CC={cc}"}};
  EXPECT_TRUE(builds_in_copy(target));
  target.build.commands.push_back({"cp", "{source}/x", "x"});
  EXPECT_FALSE(builds_in_copy(target));
  target.build.commands = {{"make"}};
  target.build.cmake = CMakeSpec{};
  EXPECT_FALSE(builds_in_copy(target));
}

TEST_F(PrepareRebuild, RemovesNothingBehindALink) {
  make("outside/x.so");
  make("outside/y.o");
  fs::remove_all(build() / "lib");
  fs::create_directory_symlink("../outside", build() / "lib");
  EXPECT_FALSE(prepare_rebuild(target_, build()));
  EXPECT_TRUE(fs::exists(folder_->path() / "outside/x.so"));
  EXPECT_TRUE(fs::exists(folder_->path() / "outside/y.o"));
}

// Programs that print what they were started with.
class Wrappers : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("wrappers-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    toolchain_.launcher = "/bin/echo";  // of all that comes after it
    toolchain_.c_compiler = "/usr/bin/it's clang";
    toolchain_.cxx_compiler = "clang++";
  }
  std::string says(const std::string& wrapper, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), (folder_->path() / wrapper).string());
    Command command;
    command.arguments = std::move(arguments);
    command.environment = {"PATH=/usr/bin:/bin"};
    const Result<RunReport> report = run(command);
    return report && report->ok() ? report->stdout_text : "failed";
  }

  std::optional<TemporaryFolder> folder_;
  Toolchain toolchain_;
};

TEST_F(Wrappers, RunTheCompilerBehindTheLauncher) {
  ASSERT_TRUE(write_wrappers(folder_->path(), toolchain_).has_value());
  EXPECT_EQ(says("cc", {"-c", "a b.c"}), "/usr/bin/it's clang -c a b.c\n");
  EXPECT_EQ(says("cxx", {"x.cc"}), "clang++ x.cc\n");
  EXPECT_FALSE(fs::exists(folder_->path() / "compile"));
}

TEST_F(Wrappers, FlagsComeBeforeTheCompilesOwn) {
  ASSERT_TRUE(write_wrappers(folder_->path(), toolchain_, {"-fone", "-D'x'"}).has_value());
  EXPECT_EQ(says("cc", {"-c", "a.c"}), "/usr/bin/it's clang -fone -D'x' -c a.c\n");
  EXPECT_EQ(says("compile", {"/usr/bin/clang", "-c", "a.c"}),
            "/usr/bin/clang -fone -D'x' -c a.c\n");
  // Behind no launcher: a link is nobody's to tune.
  EXPECT_EQ(says("link", {"/bin/echo", "a.o"}), "-fone -D'x' a.o\n");
}

}  // namespace
}  // namespace hone
