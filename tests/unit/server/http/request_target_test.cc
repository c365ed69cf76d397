#include "server/http/request_target.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Segments = std::vector<std::string>;

TEST(RequestTarget, DecodesPathAndQuery) {
  const auto target = parse_request_target("/v1/jobs/a%20b+c?limit=5&after=x%2By+z&empty=&bare");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->segments, (Segments{"v1", "jobs", "a b+c"}));
  EXPECT_EQ(target->query, (std::vector<NamedValue>{
                               {"limit", "5"}, {"after", "x+y z"}, {"empty", ""}, {"bare", ""}}));
}

TEST(RequestTarget, RootHasNoSegments) {
  const auto target = parse_request_target("/");
  ASSERT_TRUE(target.has_value());
  EXPECT_TRUE(target->segments.empty());
  EXPECT_TRUE(parse_request_target("/?").has_value());
}

TEST(RequestTarget, TraversalIsRefusedHoweverItIsSpelt) {
  for (const std::string_view bad :
       {"/v1/artifacts/..", "/v1/artifacts/%2e%2e", "/v1/artifacts/%2E.", "/v1/./x", "/v1/%2e/x",
        "/v1//x", "/v1/x/", "/v1/artifacts/..%2f..%2fetc%2fpasswd", "/v1/a%2Fb", "/v1/a%5cb"}) {
    const auto target = parse_request_target(bad);
    ASSERT_FALSE(target.has_value()) << bad;
    EXPECT_EQ(target.error().code, ErrorCode::invalid_argument);
  }
}

TEST(RequestTarget, WhatIsAmbiguousIsRefused) {
  for (const std::string_view bad :
       {"", "v1", "http://x/v1", "*", "/a%", "/a%4", "/a%zz", "/a%00b", "/a%0d%0ab", "/a\x01",
        "/a#b", "/a?x=%", "/a?=1", "/a?&", "/a?x=1&x=2", "/a%ff", "/a?x=%c3%28", "/a?%80=1"}) {
    EXPECT_FALSE(parse_request_target(bad).has_value()) << bad;
  }
}

TEST(RequestTarget, ParametersAreCounted) {
  std::string text = "/a?p0";
  for (int i = 1; i < 64; ++i) {
    text += "&p" + std::to_string(i);
  }
  const auto most = parse_request_target(text);
  ASSERT_TRUE(most.has_value());
  EXPECT_EQ(most->query.size(), 64U);
  const auto over = parse_request_target(text + "&p64");
  ASSERT_FALSE(over.has_value());
  EXPECT_EQ(over.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(over.error().message, "bad request target: it has more than 64 query parameters");
}

TEST(RequestTarget, RepeatedParameterIsNamed) {
  const auto target = parse_request_target("/a?limit=1&limit=2");
  ASSERT_FALSE(target.has_value());
  ASSERT_EQ(target.error().fields.size(), 1U);
  EXPECT_EQ(target.error().fields[0].pointer, "/limit");
}

}  // namespace
}  // namespace hone
