#include "build_integration/programs/compile_database.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Flags = std::vector<std::string>;

TEST(CompileDatabase, UnitsHaveTheirOwnFlagsWithoutOutputAndDependencies) {
  const auto database = CompileDatabase::parse(R"([
    {"directory": "/p/build", "file": "../src/a.c", "output": "a.o",
     "command": "/usr/bin/ccache /usr/bin/cc -DX=\\\"y\\\" -I../include -O2 -flto -MD -MT a.o -MF a.d -o a.o -c ../src/a.c"},
    {"directory": "/p/build", "file": "/q/b.cpp",
     "arguments": ["c++", "-std=c++20", "-ob.o", "-S", "/q/b.cpp", "-Werror"]},
    {"directory": "/p/build", "file": "../src/a.c", "arguments": ["cc", "-c", "/p/build/../src/a.c", "-DZ"]},
    {"directory": "/p/build", "file": "x.S", "arguments": ["cc", "-c", "x.S"], "extra": 1}])",
                                               "/p");
  ASSERT_TRUE(database) << database.error().describe();
  ASSERT_EQ(database->units().size(), 3U);
  const TranslationUnit& a = database->units()[0];
  EXPECT_EQ(a.name, "src/a.c");
  EXPECT_EQ(a.source, "/p/src/a.c");
  EXPECT_EQ(a.folder, "/p/build");
  EXPECT_EQ(a.flags, (Flags{"-DX=\"y\"", "-I../include", "-O2"}));
  const TranslationUnit& b = database->units()[1];
  EXPECT_EQ(b.name, "/q/b.cpp");
  EXPECT_EQ(b.kind, SourceKind::cxx);
  EXPECT_EQ(b.flags, (Flags{"-std=c++20"}));
  EXPECT_EQ(database->units()[2].name, "src/a.c@2");
  EXPECT_EQ(database->units()[2].flags, (Flags{"-DZ"}));
}

TEST(CompileDatabase, FindsByNameAndByAnEndThatIsNoOthers) {
  const auto database = CompileDatabase::parse(R"([
    {"directory": "/p", "file": "x/a.c", "command": "cc -c x/a.c"},
    {"directory": "/p", "file": "y/a.c", "command": "cc -c y/a.c"},
    {"directory": "/p", "file": "y/bb.c", "command": "cc -c y/bb.c"}])",
                                               "/p");
  ASSERT_TRUE(database);
  EXPECT_EQ(database->find("y/a.c")->source, "/p/y/a.c");
  EXPECT_EQ(database->find("/p/y/a.c")->source, "/p/y/a.c");
  EXPECT_EQ(database->find("bb.c")->source, "/p/y/bb.c");
  EXPECT_EQ(database->find("a.c").error().message, "'a.c' is several: x/a.c, y/a.c");
  EXPECT_EQ(database->find("b.c").error().message,
            "no translation unit 'b.c': there are x/a.c, y/a.c, y/bb.c");
  EXPECT_EQ(database->find("").error().code, ErrorCode::not_found);
}

TEST(CompileDatabase, ErrorsNameTheEntry) {
  EXPECT_NE(CompileDatabase::parse("{}", "/").error().message.find("list"), std::string::npos);
  const auto bad = CompileDatabase::parse(
      R"([{"directory": "/p", "file": "a.c"},
          {"directory": 3, "file": "b.c", "command": "cc 'x"}])",
      "/p");
  ASSERT_FALSE(bad);
  const std::string text = bad.error().describe();
  EXPECT_NE(text.find("/0/command"), std::string::npos) << text;
  EXPECT_NE(text.find("/1/directory"), std::string::npos) << text;
  EXPECT_NE(text.find("/1/command"), std::string::npos) << text;
}

}  // namespace
}  // namespace hone
