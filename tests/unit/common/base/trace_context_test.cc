#include "common/base/trace_context.h"

#include <string>

#include <gtest/gtest.h>

namespace hone {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kSpan = "00f067aa0ba902b7";

TEST(TraceContext, IsReadAndWritten) {
  const std::string header = "00-" + kTrace + "-" + kSpan + "-01";
  const auto context = parse_traceparent(header);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace_id, kTrace);
  EXPECT_EQ(context->span_id, kSpan);
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(traceparent_of(*context), header);
  EXPECT_FALSE(parse_traceparent("00-" + kTrace + "-" + kSpan + "-02")->sampled);
}

TEST(TraceContext, ALaterVersionIsReadAsFarAsItIsKnown) {
  EXPECT_TRUE(parse_traceparent("01-" + kTrace + "-" + kSpan + "-01-more"));
  EXPECT_TRUE(parse_traceparent("cc-" + kTrace + "-" + kSpan + "-01"));
  EXPECT_FALSE(parse_traceparent("01-" + kTrace + "-" + kSpan + "-01more"));
}

TEST(TraceContext, WhatIsMalformedIsNone) {
  const std::string good = "00-" + kTrace + "-" + kSpan + "-01";
  for (const std::string& bad :
       {std::string(), good.substr(1), good + "-", good + "-x", "ff" + good.substr(2),
        "0g" + good.substr(2), "00-" + std::string(32, '0') + "-" + kSpan + "-01",
        "00-" + kTrace + "-" + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + kSpan + "-01", "00_" + good.substr(3),
        "00-" + kTrace + "-" + kSpan + "-0x", " " + good}) {
    EXPECT_FALSE(parse_traceparent(bad)) << bad;
  }
}

TEST(TraceContext, GoesOnWithAFreshSpan) {
  const auto context = parse_traceparent("00-" + kTrace + "-" + kSpan + "-01");
  const TraceContext next = next_span(*context);
  EXPECT_EQ(next.trace_id, kTrace);
  EXPECT_NE(next.span_id, kSpan);
  EXPECT_TRUE(next.sampled);
  EXPECT_TRUE(parse_traceparent(traceparent_of(next)));
}

}  // namespace
}  // namespace hone
