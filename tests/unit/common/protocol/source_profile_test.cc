#include "common/protocol/source_profile.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::vector<std::string> names(const std::vector<FileShare>& files) {
  std::vector<std::string> list;
  for (const FileShare& file : files) {
    list.push_back(file.source);
  }
  return list;
}

TEST(SourceProfile, HotFilesAreThoseThatTheTimeGoesTo) {
  const SourceProfile profile{
      "", {{"a.c", 0.5}, {"b.c", 0.3}, {"c.c", 0.09}, {"d.c", 0.015}, {"e.c", 0.005}}};
  EXPECT_EQ(names(hot_files(profile, 0.95)), (std::vector<std::string>{"a.c", "b.c", "c.c"}))
      << "0.89 of the product's own 0.91";
  EXPECT_EQ(names(hot_files(profile, 1)), (std::vector<std::string>{"a.c", "b.c", "c.c", "d.c"}))
      << "half a per cent is not hot, whatever is left";
  EXPECT_EQ(names(hot_files(profile, 0.5)), std::vector<std::string>{"a.c"});
  EXPECT_TRUE(hot_files({"no valgrind", {}}).empty());
}

}  // namespace
}  // namespace hone
