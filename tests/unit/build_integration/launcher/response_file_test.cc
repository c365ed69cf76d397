#include "build_integration/launcher/response_file.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ResponseFile, SplitsAsTheCompilerDoes) {
  EXPECT_THAT(split_response_file(" a\tb\r\nc "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_response_file(R"(-DA="two words" 'it\'s' b\ c)"),
              ElementsAre("-DA=two words", "it's", "b c"));
  EXPECT_THAT(split_response_file(R"("a\"b" "" '')"), ElementsAre("a\"b", "", ""));
  EXPECT_THAT(split_response_file("\"open"), ElementsAre("open"));
  EXPECT_THAT(split_response_file("end\\"), ElementsAre("end\\"));
  EXPECT_THAT(split_response_file("\"end\\"), ElementsAre("end\\"));
  EXPECT_THAT(split_response_file(""), IsEmpty());
}

class ResponseFileExpansion : public testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view content) {
    const auto path = folder_.path() / name;
    EXPECT_TRUE(write_file_atomically(path, content));
    return "@" + path.string();
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("response-file-test");
};

TEST_F(ResponseFileExpansion, FilesWithinFiles) {
  const std::string inner = file("inner", "-b '-c'");
  EXPECT_THAT(*expand_response_files({"-x", file("outer", "-a " + inner), "-y"}),
              ElementsAre("-x", "-a", "-b", "-c", "-y"));
}

TEST_F(ResponseFileExpansion, MissingOnesStay) {
  EXPECT_THAT(*expand_response_files({"@/no/such/file", "@"}), ElementsAre("@/no/such/file", "@"));
}

TEST_F(ResponseFileExpansion, EndlessOnesAreGivenUp) {
  const std::string itself = "@" + (folder_.path() / "loop").string();
  EXPECT_FALSE(expand_response_files({file("loop", itself)}).has_value());
}

TEST_F(ResponseFileExpansion, PipesAreNotRead) {
  const std::string pipe = (folder_.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(expand_response_files({"@" + pipe}).has_value());
}

TEST_F(ResponseFileExpansion, WhatCompilersReadDifferentlyIsGivenUp) {
  EXPECT_FALSE(expand_response_files({file("form feed", "-a\f-b")}).has_value());
  EXPECT_FALSE(expand_response_files({file("vertical tab", "-a\v-b")}).has_value());
}

TEST_F(ResponseFileExpansion, ByteOrderMarks) {
  EXPECT_THAT(*expand_response_files({file("utf8", "\xef\xbb\xbf-a")}), ElementsAre("-a"));
  EXPECT_FALSE(expand_response_files({file("utf16", "\xff\xfe-")}).has_value());
}

}  // namespace
}  // namespace hone
