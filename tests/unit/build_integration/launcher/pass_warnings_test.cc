#include "build_integration/launcher/pass_warnings.h"

#include <string>

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string asked(const std::vector<Option>& options, std::string_view family = "clang") {
  return std::string(asked_pass_warning(options, family));
}

TEST(PassWarnings, AreSeenWhereTheCommandNamesThem) {
  EXPECT_EQ(asked({{"-Wframe-larger-than=400", {}}}), "-Wframe-larger-than=400");
  EXPECT_EQ(asked({{"-Werror=attribute-warning", {}}}), "-Werror=attribute-warning");
  EXPECT_EQ(asked({{"-Xclang", {"-Wpass-failed"}}}), "-Wpass-failed");
  for (const char* option :
       {"-Wstack-usage=100", "-Wstack-protector", "-Wmaybe-uninitialized", "-Werror=array-bounds",
        "-Wstringop-overflow=4", "-Wanalyzer-malloc-leak", "-Wsuggest-attribute=pure",
        "-Wzero-length-bounds"}) {
    EXPECT_EQ(asked({{option, {}}}, "gcc"), option);
  }
}

TEST(PassWarnings, OthersAndTheImpliedAreNot) {
  for (const char* option : {"-Wall", "-Wextra", "-Werror", "-Wno-frame-larger-than",
                             "-Wno-error=frame-larger-than", "-Wunused", "-Wp,-MD,x.d"}) {
    EXPECT_EQ(asked({{option, {}}}), "") << option;
    EXPECT_EQ(asked({{option, {}}}, "gcc"), "") << option;
  }
  // The front end of clang gives it.
  EXPECT_EQ(asked({{"-Wnull-dereference", {}}}), "");
}

TEST(PassWarnings, TheLastOptionCounts) {
  EXPECT_EQ(asked({{"-Wframe-larger-than=4", {}}, {"-Wno-frame-larger-than", {}}}), "");
  EXPECT_EQ(asked({{"-Wno-frame-larger-than", {}}, {"-Wframe-larger-than=4", {}}}),
            "-Wframe-larger-than=4");
}

TEST(PassWarnings, AreFoundInMessages) {
  EXPECT_TRUE(names_pass_warning("a.c:1: warning: x [-Wzero-length-bounds]\n", "gcc"));
  EXPECT_TRUE(names_pass_warning("a.c:1: warning: x [-Wanalyzer-malloc-leak]\n", "gcc"));
  EXPECT_TRUE(names_pass_warning("a.c:1: warning: x [-Wpass-failed=transform-warning]\n", "clang"));
  EXPECT_FALSE(names_pass_warning("a.c:1: warning: x [-Wunused]\n", "gcc"));
}

}  // namespace
}  // namespace hone
