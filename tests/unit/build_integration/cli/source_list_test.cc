#include "build_integration/cli/source_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

using testing::ElementsAre;

class SourceListTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = folder_.path() / name;
    EXPECT_TRUE(write_file_atomically(file, text).has_value());
    return file.string();
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("sources");
};

TEST_F(SourceListTest, ListIsSortedWithoutDuplicatesAndBlanks) {
  const auto sources = list_sources({write("list", "b.c\n\n  a.c \nb.c\n"), "", ""});
  ASSERT_TRUE(sources.has_value());
  EXPECT_THAT(*sources, ElementsAre("a.c", "b.c"));
}

TEST_F(SourceListTest, DatabaseIsMadeRelativeToTheRoot) {
  const std::string database = write("compile_commands.json", R"([
    {"directory": "/p/build", "file": "../src/a.c", "command": "cc -c ../src/a.c"},
    {"directory": "/p/build", "file": "/p/lib/b.c", "command": "cc"},
    {"directory": "/p/build", "file": "/elsewhere/c.c", "command": "cc"}])");
  const auto sources = list_sources({"", database, "/p"});
  ASSERT_TRUE(sources.has_value());
  EXPECT_THAT(*sources, ElementsAre("lib/b.c", "src/a.c"));
  EXPECT_THAT(*list_sources({"", database, "/p/"}), ElementsAre("lib/b.c", "src/a.c"));
}

TEST_F(SourceListTest, OneOfTheTwoIsNeeded) {
  EXPECT_EQ(list_sources({}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(list_sources({"a", "b", ""}).error().code, ErrorCode::invalid_argument);
}

TEST_F(SourceListTest, MalformedDatabaseIsRefused) {
  EXPECT_EQ(list_sources({"", write("x", "{}"), ""}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(list_sources({"", write("y", "[{\"directory\":\"/p\"}]"), ""}).error().code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(list_sources({"/nonexistent", "", ""}).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace hone
