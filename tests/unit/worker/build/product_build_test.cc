#include "worker/build/product_build.h"

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"

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

}  // namespace
}  // namespace hone
