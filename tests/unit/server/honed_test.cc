#include <gtest/gtest.h>

#include "common/base/file.h"
#include "server/disk_guard.h"
#include "server/listen_address.h"

namespace hone {
namespace {

TEST(DiskGuard, UploadsLeaveMoreOnTheDatabasesDiskThanItStopsWritingAt) {
  const TemporaryFolder folder = *TemporaryFolder::create("guard");
  const DiskGuardOptions options{.folder = folder.path()};
  const std::int64_t kept = kept_from_uploads(folder.path() / "not" / "yet", options);
  // Where the ballast was given up, as much more must be free for it to go on.
  EXPECT_GT(kept, options.least_bytes + options.ballast_bytes);
  EXPECT_EQ(kept_from_uploads("/proc", options), 0);
}

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
