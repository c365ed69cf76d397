#include "build_integration/launcher/source_root.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

TEST(SourceRoot, NamesAreRelativeHoweverTheyAreSpelled) {
  const SourceRoot root("/a/b");
  EXPECT_EQ(root.name_of("/a/b/src/x.cc"), "src/x.cc");
  EXPECT_EQ(root.name_of("/a/b/./src//y/../x.cc"), "src/x.cc");
  EXPECT_EQ(root.name_of("/a/b/../b/x.cc"), "x.cc");
  EXPECT_EQ(root.name_as_spelled("/a/b"), ".");
}

TEST(SourceRoot, NamesOutsideStayAbsolute) {
  const SourceRoot root("/a/b");
  EXPECT_EQ(root.name_of("/a/bc/x.cc"), "/a/bc/x.cc");
  EXPECT_EQ(root.name_of("/../x.cc"), "/x.cc");
}

TEST(SourceRoot, RelativeNamesAndRootsStartInTheWorkingFolder) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(SourceRoot(here).name_of("src/x.cc"), "src/x.cc");
  EXPECT_EQ(SourceRoot(".").name_of("./src/x.cc"), "src/x.cc");
  EXPECT_EQ(SourceRoot("..").name_of("x.cc"),
            std::filesystem::path(here).filename().string() + "/x.cc");
}

TEST(SourceRoot, LinksIntoTheRootAreFollowed) {
  const TemporaryFolder folder = *TemporaryFolder::create("source-root-test");
  const std::string real = std::filesystem::canonical(folder.path()).string();
  std::filesystem::create_directory(real + "/tree");
  ASSERT_TRUE(write_file_atomically(real + "/tree/x.cc", ""));
  std::filesystem::create_symlink("tree", real + "/link");
  EXPECT_EQ(SourceRoot(real + "/link").name_of(real + "/tree/x.cc"), "x.cc");
  EXPECT_EQ(SourceRoot(real + "/tree").name_of(real + "/link/x.cc"), "x.cc");
}

TEST(SourceRoot, TheWholeFileSystemMayBeTheRoot) {
  EXPECT_EQ(SourceRoot("/").name_of("/a/x.cc"), "a/x.cc");
}

}  // namespace
}  // namespace hone
