#include "build_integration/cli/command_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;

std::vector<std::string> words(std::string_view text) {
  const Result<std::vector<std::string>> result = command_words(text);
  EXPECT_TRUE(result.has_value()) << text;
  return result ? *result : std::vector<std::string>{};
}

TEST(CommandWords, SplitsAtBlanksAndKeepsQuotedOnes) {
  EXPECT_THAT(words("  ./a  -n\t3 \n"), ElementsAre("./a", "-n", "3"));
  EXPECT_THAT(words("a 'b  c' \"d e\" f\\ g"), ElementsAre("a", "b  c", "d e", "f g"));
  EXPECT_THAT(words("a x'y z'w \"\" ''"), ElementsAre("a", "xy zw", "", ""));
  EXPECT_THAT(words(R"(a '\n' "\n \" \\ \$" \')"), ElementsAre("a", "\\n", "\\n \" \\ $", "'"));
}

TEST(CommandWords, QuotedCharactersOfAShellAreTheirOwn) {
  EXPECT_THAT(words("sh -c 'a | b > c; echo $HOME *'"),
              ElementsAre("sh", "-c", "a | b > c; echo $HOME *"));
}

TEST(CommandWords, RefusesWhatOnlyAShellUnderstandsAndWhatIsUnfinished) {
  for (const std::string_view text : {"a | b", "a > b", "a; b", "a $B", "a `b`", "a *", "a & ", "",
                                      "  ", "''", "a 'b", "a \"b", "a \\"}) {
    const Result<std::vector<std::string>> result = command_words(text);
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(result.error().message.find("command '" + std::string(text)), std::string::npos);
  }
  EXPECT_FALSE(command_words(std::string_view("a\0b", 3)).has_value());
}

}  // namespace
}  // namespace hone
