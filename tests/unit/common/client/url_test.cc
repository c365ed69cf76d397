#include "common/client/url.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Url, PartsAreTakenApart) {
  const Result<Url> full = parse_url("http://hone.example:8080/base/path/");
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->host, "hone.example");
  EXPECT_EQ(full->port, "8080");
  EXPECT_EQ(full->prefix, "/base/path");
  EXPECT_EQ(full->authority(), "hone.example:8080");

  const Result<Url> ipv6 = parse_url("http://[::1]");
  ASSERT_TRUE(ipv6.has_value());
  EXPECT_EQ(ipv6->host, "::1");
  EXPECT_EQ(ipv6->authority(), "[::1]:7077");
  EXPECT_EQ(ipv6->prefix, "");
}

TEST(Url, HttpsIsSecureAndHasTheUsualPort) {
  const Result<Url> url = parse_url("https://hone.example");
  ASSERT_TRUE(url.has_value()) << url.error().message;
  EXPECT_TRUE(url->secure);
  EXPECT_EQ(url->authority(), "hone.example:443");
  EXPECT_EQ(parse_url("https://[::1]:7077/x")->authority(), "[::1]:7077");
  EXPECT_FALSE(parse_url("http://hone.example")->secure);
}

TEST(Url, EverythingElseIsInvalid) {
  for (const std::string_view bad :
       {"", "hone.example", "ftp://x", "http://", "http://:80", "http://x:0", "http://x:70777",
        "http://x:8x", "http://user@x", "http://x?q=1", "http://x/#f", "http://x y", "http://[::1",
        "http://[x]", "http://[::1]80", "http://a\r\nb", "http://x/a b"}) {
    const Result<Url> url = parse_url(bad);
    ASSERT_FALSE(url.has_value()) << bad;
    EXPECT_EQ(url.error().code, ErrorCode::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace hone
