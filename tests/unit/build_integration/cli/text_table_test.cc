#include "build_integration/cli/text_table.h"

#include <gtest/gtest.h>

#include "common/base/printable.h"

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

TEST(Clipped, CutsAtCharactersNotInsideThem) {
  EXPECT_EQ(clipped("äöü", 3), "äöü");
  EXPECT_EQ(clipped("äöüß", 3), "äö…");
  EXPECT_EQ(clipped("abc", 1), "…");
  EXPECT_EQ(clipped("abc", 0), "");
}

}  // namespace
}  // namespace hone
