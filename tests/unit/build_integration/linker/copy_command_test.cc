#include "build_integration/linker/copy_command.h"

#include <gtest/gtest.h>

#include "build_integration/launcher/response_file.h"

namespace hone {
namespace {

using Words = std::vector<std::string>;

const std::vector<PaddingPart> kTwo = {{PaddedSection::text, 16}, {PaddedSection::data, 16}};

TEST(CopyCommand, KeepsEveryWordInItsOrderAndAddsPadding) {
  const LinkCommand link = scan_link({"clang", "a.o", "b.o", "-o", "app", "x.a", "-lm"});
  const std::vector<Padding> layout = {{0, kTwo}, {2, kTwo}};
  EXPECT_EQ(copy_command(link, "app.hone-link-1", layout, {"p0.o", "p1.o"}),
            (Words{"clang", "p0.o", "a.o", "b.o", "-o", "app.hone-link-1", "p1.o", "x.a", "-lm",
                   "-Wl,-u,__hone_padding_0_0,-u,__hone_padding_0_1,-u,__hone_padding_1_0,-u,"
                   "__hone_padding_1_1"}));
}

TEST(CopyCommand, KnowsAnOutputThatIsJoinedToItsOption) {
  const LinkCommand link = scan_link({"clang", "a.o", "-oapp"});
  EXPECT_EQ(copy_command(link, "copy", {{0, {}}}, {"p.o"}),
            (Words{"clang", "p.o", "a.o", "-ocopy", "-Wl"}));
}

TEST(CopyCommand, WritesNothingOnTheSide) {
  const LinkCommand link = scan_link(
      {"clang", "a.o", "-o", "app", "-Wl,-Map,app.map", "-Xlinker", "--dependency-file=app.d"});
  const Words words = copy_command(link, "copy", {{0, kTwo}}, {"p.o"});
  EXPECT_EQ(words[words.size() - 2], "-Wl,-Map=/dev/null");
  EXPECT_EQ(words.back(), "-Wl,--dependency-file=/dev/null");
}

TEST(ResponseText, IsReadBackAsItWas) {
  const Words words = {"a.o",      "", "with space", "quote\"s'", "back\\slash\\", "tab\tand\nline",
                       "-DX=\"1\""};
  EXPECT_EQ(split_response_file(response_text(words)), words);
}

}  // namespace
}  // namespace hone
