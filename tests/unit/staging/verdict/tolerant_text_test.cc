#include "staging/verdict/tolerant_text.h"

#include <string>

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr Tolerance kThousandth{1e-3, 0};

bool agree(std::string_view reference, std::string_view made,
           const Tolerance& tolerance = kThousandth) {
  const bool one = !find_mismatch(reference, made, tolerance).has_value();
  EXPECT_EQ(one, !find_mismatch(made, reference, tolerance).has_value())
      << reference << " and " << made << " in the other order";
  return one;
}

TEST(TolerantText, NumbersMayDifferAsFarAsTheLargerBoundAllows) {
  EXPECT_TRUE(agree("x 1000", "x 1001"));
  EXPECT_FALSE(agree("x 1000", "x 1002"));
  EXPECT_TRUE(agree("1000", "1001.0008"));  // a thousandth of the larger one
  EXPECT_FALSE(agree("1000", "1001.5", {1e-3, 1}));
  EXPECT_TRUE(agree("0.001", "0.0010009"));
  EXPECT_FALSE(agree("0", "1e-12"));
  EXPECT_TRUE(agree("0", "1e-12", {1e-3, 1e-9}));
  EXPECT_TRUE(agree("100", "100.05", {0, 0.05 + 1e-12}));
  EXPECT_FALSE(agree("100", "100.06", {0, 0.05}));
  EXPECT_FALSE(agree("1", "-1"));
  EXPECT_TRUE(agree("0.0", "-0.0", {0, 0}));
  EXPECT_TRUE(agree("1e3", "1000.0", {0, 0}));
  EXPECT_TRUE(agree(".5", "+0.50", {0, 0}));
}

TEST(TolerantText, NaNEqualsNaNAndAnInfinityItself) {
  EXPECT_TRUE(agree("mean nan", "mean -NaN"));
  EXPECT_FALSE(agree("nan", "1"));
  EXPECT_TRUE(agree("inf", "Infinity"));
  EXPECT_FALSE(agree("inf", "-inf"));
  EXPECT_FALSE(agree("inf", "1e308", {0.5, 1e300}));
  EXPECT_FALSE(agree("1e999", "1e308"));
  EXPECT_TRUE(agree("1e-999", "0"));
  EXPECT_FALSE(agree("nano", "nan"));
  EXPECT_FALSE(agree("information 1", "inf 1"));
  EXPECT_FALSE(agree("Information", "information"));
}

TEST(TolerantText, AllElseIsExact) {
  EXPECT_FALSE(agree("yes 1", "no 1"));
  EXPECT_FALSE(agree("1 2", "1 2 3"));
  EXPECT_FALSE(agree("1 2\n", "1\n2\n"));
  EXPECT_FALSE(agree("1\n", "1"));
  EXPECT_FALSE(agree("1\n", "1\n\n"));
  EXPECT_FALSE(agree("12", "1 2"));
  EXPECT_FALSE(agree("a b", "ab"));
  EXPECT_FALSE(agree("1,2", "1;2"));
  EXPECT_TRUE(agree("{\"x\":1.0000,\"y\":[2,3]}", "{\"x\":1.0001,\"y\":[2,3.001]}"));
}

TEST(TolerantText, DigitsWithinAWordAreNoNumber) {
  EXPECT_FALSE(agree("lz1000", "lz1001"));
  EXPECT_FALSE(agree("_1000", "_1001"));
  EXPECT_FALSE(agree("v1.2.1000", "v1.2.1001"));
  EXPECT_FALSE(agree("0x1000", "0x1001"));
  EXPECT_FALSE(agree("1.2.1000", "1.2.1001"));
  EXPECT_FALSE(agree("deadbeef1000", "deadbeef1001"));
}

TEST(TolerantText, ANumberMayTouchWhatIsAroundIt) {
  EXPECT_TRUE(agree("time=1000ms;", "time=1001ms;"));
  EXPECT_FALSE(agree("1000ms", "1000us"));
  EXPECT_TRUE(agree("(1000)", "(1001)"));
  EXPECT_TRUE(agree("-1000", "-1001"));
  EXPECT_TRUE(agree("1000-2000", "1001-2001"));
  EXPECT_FALSE(agree("1000-2000", "1000+2000"));
  EXPECT_TRUE(agree("a-1000", "a-1001"));
  EXPECT_TRUE(agree("1000e", "1001e"));
  EXPECT_TRUE(agree("1e+3x", "1.0005e3x"));
}

TEST(TolerantText, ColumnsMayMoveWithTheirNumbers) {
  EXPECT_TRUE(agree("x   9.9995 y\n", "x  10.0000 y\n"));
  EXPECT_TRUE(agree("x=  9.9995\n", "x=10.0000 \t\n"));
  EXPECT_TRUE(agree("  1\n", "1\n"));
  EXPECT_TRUE(agree("a  b", "a\tb"));
  EXPECT_FALSE(agree("1 %", "1%"));
}

TEST(TolerantText, TellsWhereTheFirstTokensBegin) {
  EXPECT_EQ(find_mismatch("a 1.0\nb 2.5 c\n", "a 1.00\nb 3.5 c\n", kThousandth),
            (TextMismatch{8, 9}));
  EXPECT_EQ(find_mismatch("a 1\n", "a 1", kThousandth), (TextMismatch{3, 3}));
  EXPECT_EQ(find_mismatch("a 1", "a 1 more", kThousandth), (TextMismatch{3, 4}));
}

TEST(TolerantText, BytesThatAreNoTextAreComparedToo) {
  const std::string zero("a\0b", 3);
  EXPECT_TRUE(agree(zero, zero));
  EXPECT_FALSE(agree(zero, std::string("a\0c", 3)));
  EXPECT_FALSE(agree("\xff\xfe", "\xff\xff"));
}

TEST(TolerantText, TimeGrowsWithTheLengthAlone) {
  // A quadratic scan would take minutes.
  const std::string digits(std::size_t{4} << 20U, '7');
  EXPECT_TRUE(agree(digits, digits));
  const std::string signs(std::size_t{4} << 20U, '-');
  EXPECT_TRUE(agree(signs, signs));
  EXPECT_FALSE(agree("x" + signs, signs + "x"));
}

}  // namespace
}  // namespace hone
