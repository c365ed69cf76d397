#include "build_integration/cli/text_table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/printable.h"
#include "common/json/document.h"

namespace hone {
namespace {

TEST(TextTable, ColumnsAlignByWhatIsSeenNotByBytes) {
  TextTable table({{"name"}, {"reward", Align::right}});
  table.add({"a", "−1.0 %"});
  table.add({"longer", "+10.0 %"});
  EXPECT_EQ(table.text(),
            "name     reward\n"
            "a        −1.0 %\n"
            "longer  +10.0 %\n");
}

TEST(TextTable, MissingCellsAreEmptyAndLinesEndWithoutBlanks) {
  TextTable table({{"a"}, {"b"}});
  table.add({"x"});
  EXPECT_EQ(table.text("  "), "  a  b\n  x\n");
}

TEST(TextTable, LongCellsAreCut) {
  TextTable table({{"a", Align::left, 5}});
  table.add({"abcdefgh"});
  EXPECT_EQ(table.text(), "a\nabcd…\n");
}

TEST(TextTable, ForeignTextCannotSteerTheTerminal) {
  TextTable table({{"a"}});
  table.add({"x\x1b[2J\ny"});
  EXPECT_EQ(table.text(), "a\nx [2J y\n");
}

TEST(Printable, KeepsLettersDropsControls) {
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f\x7f\xc2\x9bm"), "gr\xc3\xbc\xc3\x9f  m");
}

TEST(Printable, BlotsOutWhatTurnsOrHidesText) {
  // A right-to-left override, a line separator, a zero-width space, a byte order mark, a tag; and
  // bytes of no character, of which a terminal that takes Latin-1 would obey the second.
  EXPECT_EQ(printable("a\u202eb\u2028c\u200bd\ufeffe\U000e0041f"), "a b c d e f");
  EXPECT_EQ(printable("a\xff\x9b\x62\xc3"), "a  b ");
  EXPECT_EQ(printable("\u0644\u064a \u65e5\u672c \U0001f600"),
            "\u0644\u064a \u65e5\u672c \U0001f600");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a b");
}

TEST(Printable, AJsonTextStaysTheSameDocument) {
  const Json document{{"note",
                       "\xc2\x9b"
                       "31m\u202e\u2028\u200b\x7f \U000e0041 \x1b[0m gr\u00fc\u00df"}};
  const std::string text = dump_json_pretty(document);
  EXPECT_EQ(text,
            "{\n  \"note\": \"\\u009b31m\\u202e\\u2028\\u200b\\u007f \\udb40\\udc41 "
            "\\u001b[0m gr\u00fc\u00df\"\n}");
  EXPECT_EQ(*parse_json(text), document);
}

TEST(Clipped, CutsAtCharactersNotInsideThem) {
  EXPECT_EQ(clipped("äöü", 3), "äöü");
  EXPECT_EQ(clipped("äöüß", 3), "äö…");
  EXPECT_EQ(clipped("abc", 1), "…");
  EXPECT_EQ(clipped("abc", 0), "");
}

}  // namespace
}  // namespace hone
