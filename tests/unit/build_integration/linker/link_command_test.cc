#include "build_integration/linker/link_command.h"

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

LinkCommand scan(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) {
    words.emplace_back(word);
  }
  return scan_link(words);
}

std::vector<std::string> places(const LinkCommand& link) {
  std::vector<std::string> names;
  for (const std::size_t at : link.places) {
    names.push_back(link.words[at]);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(LinkCommand, ReadsALinkAsCMakeWritesIt) {
  const LinkCommand link = scan(
      "/usr/bin/clang++-19 -O3 -DNDEBUG -rdynamic CMakeFiles/app.dir/main.cc.o "
      "CMakeFiles/app.dir/b.cc.o -o bin/app -Wl,-rpath,$ORIGIN/lib lib/libx.a /usr/lib/libz.so "
      "lib/liby.so.1.2 -lm -pthread");
  EXPECT_TRUE(link.makes_program);
  EXPECT_EQ(link.refused, "");
  EXPECT_EQ(link.output, "bin/app");
  EXPECT_EQ(link.words[link.output_word], "bin/app");
  EXPECT_EQ(link.arguments, 1U);
  EXPECT_FALSE(link.has_response_file);
  EXPECT_EQ(places(link),
            (Names{"CMakeFiles/app.dir/main.cc.o", "CMakeFiles/app.dir/b.cc.o", "lib/libx.a"}));
}

TEST(LinkCommand, LaunchersStandBeforeTheCompiler) {
  const LinkCommand link = scan("/b/hone-cc --policy=x /usr/bin/ccache clang-19 a.o -oapp");
  EXPECT_EQ(link.arguments, 4U);
  EXPECT_EQ(link.output, "app");
  EXPECT_EQ(link.words[link.output_word], "-oapp");
  EXPECT_EQ(link.refused, "");
}

TEST(LinkCommand, OtherCommandsAreNoLinks) {
  for (const char* text :
       {"clang -c a.c -o a.o", "clang a.o -shared -o liba.so", "clang -r a.o b.o -o c.o",
        "clang -E a.c -o a.i", "clang -S a.c -o a.s", "clang a.o", "clang --version", "clang",
        "clang -### a.o -o app", "clang -print-prog-name=ld -o app", "clang -fsyntax-only -o app",
        "clang -dumpmachine -o x", "clang a.o -o"}) {
    EXPECT_FALSE(scan(text).makes_program) << text;
  }
}

TEST(LinkCommand, OptionsTakeTheirValuesAlong) {
  const LinkCommand link = scan("clang a.o -L x.o -u y.o -Xlinker --defsym -Xlinker z=1 -o app");
  EXPECT_EQ(link.refused, "");
  EXPECT_EQ(places(link), Names{"a.o"});
}

TEST(LinkCommand, GroupsAndWholeArchivesStay) {
  const LinkCommand link = scan(
      "g++ -o app m.o -Wl,--start-group a.a b.a -Wl,--end-group -Wl,--whole-archive c.lo "
      "-Wl,--no-whole-archive -Wl,--gc-sections -Wl,-z,now -flto=thin -static-pie -fuse-ld=lld");
  EXPECT_EQ(link.refused, "");
  EXPECT_EQ(places(link), (Names{"m.o", "a.a", "b.a", "c.lo"}));
}

TEST(LinkCommand, WhatPaddingCouldHarmIsRefused) {
  for (const char* text : {"clang a.o -o app -T script.ld",
                           "clang a.o -o app -Tscript.ld",
                           "clang a.o -o app -Wl,-T,script.ld",
                           "clang a.o -o app -Wl,--script=x",
                           "clang a.o -o app -Xlinker -T -Xlinker x",
                           "clang a.o -o app -Wl,-Ttext=0x1000",
                           "clang a.o -o app -Wl,--section-start=.text=0x1000",
                           "clang a.o -o app -nostdlib",
                           "clang a.o -o app -nostartfiles",
                           "clang a.o -Wl,--format=binary b.o -o app",
                           "clang a.o -Wl,-b,binary b.o -o app",
                           "clang a.o -o app -Wl,--oformat=binary",
                           "clang a.o -o app -Wl,-r",
                           "clang a.o -o app -save-temps",
                           "clang a.o -o app -Wl,--symbol-ordering-file=x",
                           "clang a.o -o app -Wl,@more",
                           "clang a.o -o app -x c b.c",
                           "clang a.o -o app -xc b.c",
                           "clang a.o - -o app",
                           "clang a.o -o app -o app2",
                           "clang a.o -o app -- b.o",
                           "ld a.o -o app",
                           "/usr/bin/x86_64-linux-gnu-ld a.o -o app",
                           "ld.lld a.o -o app"}) {
    const LinkCommand link = scan(text);
    EXPECT_TRUE(link.makes_program) << text;
    EXPECT_NE(link.refused, "") << text;
  }
}

TEST(LinkCommand, WhatLooksLikeThatIsNot) {
  for (const char* text : {"clang a.o -o app -Wl,--trace", "clang a.o -o app -Wl,-rpath,/x",
                           "clang a.o -o app -rdynamic", "clang a.o -o app -Wl,--build-id",
                           "clang a.o -o app -Wl,-Bsymbolic", "clang a.o -o app -Wl,-E",
                           "clang a.o -o app -nostdlib++ -lc++", "clang a.o -o app -shared-libgcc",
                           "clang a.o -o app -x none"}) {
    const LinkCommand link = scan(text);
    EXPECT_TRUE(link.makes_program) << text;
    EXPECT_EQ(link.refused, "") << text;
  }
}

TEST(LinkCommand, CompilingAndLinkingAtOnceIsRefused) {
  EXPECT_NE(scan("clang a.c -o app").refused.find("a.c"), std::string::npos);
  EXPECT_NE(scan("clang a.o b.cc -o app").refused, "");
  EXPECT_NE(scan("clang a.o module.map -o app").refused, "") << "perhaps a linker script";
  EXPECT_NE(scan("clang libx.so -o app").refused, "") << "nothing to move";
}

TEST(LinkCommand, FindsWhatIsWrittenOnTheSide) {
  EXPECT_TRUE(scan("clang a.o -o app -Wl,-Map=app.map").writes_map);
  EXPECT_TRUE(scan("clang a.o -o app -Xlinker -Map -Xlinker app.map").writes_map);
  EXPECT_TRUE(scan("clang a.o -o app -Xlinker --dependency-file=x.d").writes_dependencies);
  EXPECT_FALSE(scan("clang a.o -o app").writes_map);
  EXPECT_FALSE(scan("clang a.o -o app").writes_dependencies);
}

TEST(LinkCommand, TakesResponseFilesApart) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("linker-test");
  ASSERT_TRUE(folder.has_value());
  const std::string file = (folder->path() / "app.rsp").string();
  ASSERT_TRUE(write_file_atomically(file, "a.o 'with space.o'\n-L\"lib dir\" x.a").has_value());
  const LinkCommand link = scan("clang -O3 @" + file + " -o app -lm");
  EXPECT_EQ(link.refused, "");
  EXPECT_TRUE(link.has_response_file);
  EXPECT_EQ(link.words,
            (Names{"clang", "-O3", "a.o", "with space.o", "-Llib dir", "x.a", "-o", "app", "-lm"}));
  EXPECT_EQ(places(link), (Names{"a.o", "with space.o", "x.a"}));
  ASSERT_TRUE(write_file_atomically(file, "-shared a.o").has_value());
  EXPECT_FALSE(scan("clang @" + file + " -o app").makes_program);
}

}  // namespace
}  // namespace hone
