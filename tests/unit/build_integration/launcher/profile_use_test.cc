#include "build_integration/launcher/profile_use.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

using std::string_literals::operator""s;

TEST(ProfileUse, KnowsTheOptionsThatReadOne) {
  for (const char* option : {"-fprofile-use", "-fprofile-use=x", "-fprofile-instr-use",
                             "-fprofile-instr-use=x", "-fprofile-use="}) {
    EXPECT_TRUE(is_profile_use(option)) << option;
  }
  for (const char* option : {"-fprofile-generate", "-fprofile-use-partial",
                             "-fprofile-sample-use=x", "-fprofile-instr-generate", "-fprofile"}) {
    EXPECT_FALSE(is_profile_use(option)) << option;
  }
}

TEST(ProfileUse, AFolderHoldsTheDefaultFile) {
  const TemporaryFolder folder = *TemporaryFolder::create("profile-use-test");
  EXPECT_EQ(profile_of("-fprofile-use"), "default.profdata");
  EXPECT_EQ(profile_of("-fprofile-use=a.profdata"), "a.profdata");
  EXPECT_EQ(profile_of("-fprofile-use=" + folder.path().string()),
            folder.path().string() + "/default.profdata");
}

// Indexed profiles begin with eight bytes of magic and a little-endian version, whose highest byte
// holds the variant.
TEST(ProfileUse, TheHeaderTellsTheKind) {
  const TemporaryFolder folder = *TemporaryFolder::create("profile-use-test");
  const std::string file = folder.path().string() + "/p";
  const auto kind = [&](const std::string& content) {
    EXPECT_TRUE(write_file_atomically(file, content));
    return kind_of_profile(file);
  };
  const std::string magic = "\xfflprofi\x81";
  const std::string version = "\x0c\0\0\0\0\0\0"s;
  EXPECT_EQ(kind(magic + version + '\x00' + "rest"), ProfileKind::front_end);
  EXPECT_EQ(kind(magic + version + '\x01'), ProfileKind::ir);
  EXPECT_EQ(kind(magic + version + '\x05'), ProfileKind::ir);     // entries first
  EXPECT_EQ(kind(magic + version + '\x03'), ProfileKind::other);  // context-sensitive
  EXPECT_EQ(kind(magic + version), ProfileKind::other);           // cut short
  EXPECT_EQ(kind("main:120:0\n 1: 20\n"), ProfileKind::other);    // sampled, as text
  EXPECT_EQ(kind(""), ProfileKind::other);
  EXPECT_EQ(kind_of_profile(folder.path().string() + "/missing"), ProfileKind::other);
  EXPECT_EQ(kind_of_profile(folder.path().string()), ProfileKind::other);
}

}  // namespace
}  // namespace hone
