#include "build_integration/launcher/chosen_member.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string object(std::string_view line) {
  using std::string_literals::operator""s;
  std::string bytes =
      "\x7f"
      "ELF\0hone choice \0clang version 19\0"s;
  bytes += line;
  return bytes + std::string(8, '\0');
}

TEST(ChosenMember, StandsInTheLineThatThePluginLeaves) {
  EXPECT_EQ(chosen_member_of(object("hone choice 2/5 0123456789abcdef")), 2U);
  EXPECT_EQ(chosen_member_of(object("hone choice 12/64 0123456789abcdef")), 12U);
}

TEST(ChosenMember, IsTheFirstWhereThereIsNoSuchLine) {
  EXPECT_EQ(chosen_member_of(object("")), 0U);
  EXPECT_EQ(chosen_member_of(""), 0U);
  for (const char* line :
       {"hone choice 5/5 0123456789abcdef", "hone choice 2/5 0123456789abcde",
        "hone choice 2/5 0123456789abcdefg", "hone choice 2", "hone choice 2/5 0123456789ABCDEF",
        "hone choice -1/5 0123456789abcdef", "hone choice 99999999999/5 0123456789abcdef"}) {
    EXPECT_EQ(chosen_member_of(object(line)), 0U) << line;
  }
}

TEST(ChosenMember, IsNotKnownOfAFileThatCannotBeRead) {
  EXPECT_FALSE(chosen_member("/nonexistent/a.o").has_value());
}

}  // namespace
}  // namespace hone
