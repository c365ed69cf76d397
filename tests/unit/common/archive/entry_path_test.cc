#include "common/archive/entry_path.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(EntryPath, NormalisesWhatIsHarmless) {
  EXPECT_EQ(*entry_parts("a/b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(*entry_parts("./a//b/./"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(*entry_parts("..."), (std::vector<std::string>{"..."}));
  EXPECT_TRUE(entry_parts("./")->empty());
}

TEST(EntryPath, RefusesNamesThatLeadOutside) {
  for (const std::string name :
       {"", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "a\nb", "a\x7f"}) {
    EXPECT_TRUE(entry_parts(name).has_error()) << name;
  }
  EXPECT_TRUE(entry_parts(std::string(256, 'x')).has_error());
  EXPECT_TRUE(entry_parts(std::string(255, 'x')).has_value());
  std::string deep;
  for (int i = 0; i < 65; ++i) {
    deep += "d/";
  }
  EXPECT_TRUE(entry_parts(deep).has_error());
}

TEST(EntryPath, LinksMayClimbOnlyAtTheFrontAndNotPastTheRoot) {
  EXPECT_TRUE(link_stays_inside("x", 0));
  EXPECT_TRUE(link_stays_inside("../x", 1));
  EXPECT_TRUE(link_stays_inside("./../a/b", 1));
  EXPECT_FALSE(link_stays_inside("../x", 0));
  EXPECT_FALSE(link_stays_inside("../../x", 1));
  // Within the folder as a text, but outside if "a/b/d" is itself a link to the root.
  EXPECT_FALSE(link_stays_inside("a/b/d/../x", 0));
  EXPECT_FALSE(link_stays_inside("/etc/passwd", 5));
  EXPECT_FALSE(link_stays_inside("", 5));
}

}  // namespace
}  // namespace hone
