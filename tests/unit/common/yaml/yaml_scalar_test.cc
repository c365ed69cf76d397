#include "common/yaml/yaml_scalar.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

Json scalar(const std::string& text) {
  const Result<Json> value = plain_yaml_scalar(text);
  return value ? *value : Json("refused: " + value.error().message);
}

TEST(YamlScalar, CoreSchemaTypes) {
  EXPECT_EQ(scalar("~"), Json(nullptr));
  EXPECT_EQ(scalar("true"), Json(true));
  EXPECT_EQ(scalar("FALSE"), Json(false));
  EXPECT_EQ(scalar("42"), Json(42));
  EXPECT_EQ(scalar("-9"), Json(-9));
  EXPECT_EQ(scalar("+3"), Json(3));
  EXPECT_EQ(scalar("0x1F"), Json(31));
  EXPECT_EQ(scalar("0o17"), Json(15));
  EXPECT_EQ(scalar("1.5"), Json(1.5));
  EXPECT_EQ(scalar("1e3"), Json(1000.0));
  EXPECT_EQ(scalar("-.5"), Json(-0.5));
}

TEST(YamlScalar, IntegersStayIntegersAndDoublesDoubles) {
  EXPECT_TRUE(scalar("42").is_number_integer());
  EXPECT_TRUE(scalar("42.0").is_number_float());
  EXPECT_EQ(scalar("18446744073709551615"), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(scalar("-9223372036854775808"), Json(std::numeric_limits<std::int64_t>::min()));
}

TEST(YamlScalar, WhatYaml11TookForTruthValuesIsText) {
  for (const char* text : {"yes", "no", "on", "off", "y", "N"}) {
    EXPECT_EQ(scalar(text), Json(text));
  }
}

TEST(YamlScalar, WordsAndVersionsAreText) {
  for (const char* text : {"lz4", "-q", "1.2.3", "12:30", "-", ".", "e5", "0x", "1e", "{build}/a",
                           "-O3", "1_000", "--"}) {
    EXPECT_EQ(scalar(text), Json(text)) << text;
  }
}

TEST(YamlScalar, NumbersThatNobodyCanHoldAreRefused) {
  for (const char* text : {"18446744073709551616", "-9223372036854775809", "1e999", ".inf", "-.inf",
                           ".nan", "0xfffffffffffffffff"}) {
    EXPECT_FALSE(plain_yaml_scalar(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace hone
