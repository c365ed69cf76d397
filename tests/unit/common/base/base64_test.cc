#include "common/base/base64.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  // RFC 4648, section 10.
  constexpr std::pair<std::string_view, std::string_view> kVectors[] = {{"", ""},
                                                                        {"f", "Zg=="},
                                                                        {"fo", "Zm8="},
                                                                        {"foo", "Zm9v"},
                                                                        {"foob", "Zm9vYg=="},
                                                                        {"fooba", "Zm9vYmE="},
                                                                        {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(to_base64(bytes), text);
    const Result<std::string> back = from_base64(text);
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(*back, bytes);
  }
}

TEST(Base64, HoldsEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes.push_back(static_cast<char>(i));
  }
  const Result<std::string> back = from_base64(to_base64(bytes));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, bytes);
}

TEST(Base64, WhatIsNoneIsRefused) {
  for (const std::string_view text : {"Zg=", "Z*==", "====", "Zm9vZ", "Zg==\n"}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

}  // namespace
}  // namespace hone
