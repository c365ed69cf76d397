#include <gtest/gtest.h>

#include "server/listen_address.h"

namespace hone {
namespace {

TEST(ListenAddress, IsTakenApart) {
  const Result<ListenAddress> ipv4 = parse_listen_address("127.0.0.1:7077");
  ASSERT_TRUE(ipv4.has_value());
  EXPECT_EQ(ipv4->address, "127.0.0.1");
  EXPECT_EQ(ipv4->port, 7077);
  const Result<ListenAddress> ipv6 = parse_listen_address("[::1]:0");
  ASSERT_TRUE(ipv6.has_value());
  EXPECT_EQ(ipv6->address, "::1");
  EXPECT_EQ(ipv6->port, 0);
}

TEST(ListenAddress, WhatIsNoneIsRefused) {
  for (const char* bad : {"", "127.0.0.1", ":7077", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:7x",
                          "::1:7077", "127.0.0.1:-1", "localhost:1", "[localhost]:1"}) {
    const Result<ListenAddress> listen = parse_listen_address(bad);
    ASSERT_FALSE(listen.has_value()) << bad;
    EXPECT_EQ(listen.error().code, ErrorCode::invalid_argument);
  }
}

}  // namespace
}  // namespace hone
