#include "server/http/security.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(CheckHost, LoopbackNamesAreOurs) {
  for (const std::string_view host :
       {"127.0.0.1", "127.0.0.1:7077", "localhost", "LOCALHOST:80", "[::1]", "[::1]:7077"}) {
    EXPECT_TRUE(check_host(host, {}).has_value()) << host;
  }
}

TEST(CheckHost, ForeignNamesAreRefused) {
  for (const std::string_view host :
       {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1@evil",
        "evil.example:7077", "[::1", "[::1]evil", "localhost:", "localhost:80:80", "localhost:x",
        "::1", "0.0.0.0", "127.0.0.2"}) {
    const Result<void> checked = check_host(host, {});
    ASSERT_FALSE(checked.has_value()) << host;
    EXPECT_NE(checked.error().message.find("foreign Host"), std::string::npos);
  }
}

TEST(CheckHost, TheAddressThatIsReachedIsOurs) {
  const auto ipv4 = boost::asio::ip::make_address("192.0.2.2");
  const auto ipv6 = boost::asio::ip::make_address("2001:db8::1");
  for (const std::string_view host : {"192.0.2.2", "192.0.2.2:17200"}) {
    EXPECT_TRUE(check_host(host, {}, ipv4).has_value()) << host;
    EXPECT_FALSE(check_host(host, {}, ipv6).has_value()) << host;
    EXPECT_FALSE(check_host(host, {}).has_value()) << host;
  }
  for (const std::string_view host : {"[2001:db8::1]", "[2001:DB8:0::1]:80"}) {
    EXPECT_TRUE(check_host(host, {}, ipv6).has_value()) << host;
    EXPECT_FALSE(check_host(host, {}, ipv4).has_value()) << host;
  }
  for (const std::string_view host :
       {"192.0.2.3", "192.0.2.2.evil.example", "192.0.2.2:x", "[192.0.2.2]", "2001:db8::1",
        "0.0.0.0", "[::]", "[::ffff:192.0.2.2]"}) {
    EXPECT_FALSE(check_host(host, {}, ipv4).has_value()) << host;
    EXPECT_FALSE(check_host(host, {}, ipv6).has_value()) << host;
  }
  EXPECT_FALSE(check_host("0.0.0.0", {}, boost::asio::ip::address()).has_value());
  EXPECT_TRUE(check_origin("http://192.0.2.2:17200", {}, ipv4).has_value());
  EXPECT_FALSE(check_origin("http://192.0.2.3", {}, ipv4).has_value());
}

TEST(CheckHost, AllowedNamesCountWithAndWithoutPort) {
  const std::vector<std::string> allowed{"Hone.example", "proxy.example:8443"};
  EXPECT_TRUE(check_host("hone.example", allowed).has_value());
  EXPECT_TRUE(check_host("hone.example:99", allowed).has_value());
  EXPECT_TRUE(check_host("proxy.example:8443", allowed).has_value());
  EXPECT_FALSE(check_host("proxy.example", allowed).has_value());
  EXPECT_FALSE(check_host("proxy.example:80", allowed).has_value());
  EXPECT_FALSE(check_host("sub.hone.example", allowed).has_value());
}

TEST(CheckOrigin, PagesOfHostsThatAreOursAreTaken) {
  for (const char* origin : {"", "http://localhost:7077", "http://127.0.0.1:5173",
                             "https://hone.example", "HTTP://[::1]:1"}) {
    EXPECT_TRUE(check_origin(origin, {"hone.example"}).has_value()) << origin;
  }
  for (const char* origin : {"null", "http://rebound.example", "https://hone.example.evil",
                             "file://", "http://", "http://localhost.evil", "http://localhost@evil",
                             "localhost", "http://evil, http://localhost"}) {
    const Result<void> checked = check_origin(origin, {"hone.example"});
    ASSERT_FALSE(checked.has_value()) << origin;
    EXPECT_EQ(checked.error().code, ErrorCode::permission_denied) << origin;
  }
}

TEST(BearerToken, IsTakenFromTheHeader) {
  const Result<std::string_view> token = bearer_token("bearer  hone_abc ");
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(*token, "hone_abc");
}

TEST(BearerToken, OtherHeadersAreUnauthenticated) {
  for (const std::string& header :
       {std::string(), std::string("Bearer"), std::string("Bearer "), std::string("Basic dTpw"),
        std::string("Bearer a b"), std::string("Bearer a\"b"), "Bearer " + std::string(513, 'a')}) {
    const Result<std::string_view> token = bearer_token(header);
    ASSERT_FALSE(token.has_value()) << header;
    EXPECT_EQ(token.error().code, ErrorCode::unauthenticated);
  }
}

TEST(ContentType, MustBeWhatTheRouteTakes) {
  EXPECT_TRUE(check_content_type("application/json", BodyKind::json).has_value());
  EXPECT_TRUE(check_content_type("Application/JSON; charset=UTF-8", BodyKind::json).has_value());
  EXPECT_TRUE(check_content_type("application/octet-stream", BodyKind::octets).has_value());
  for (const std::string_view bad :
       {"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp",
        "text/plain; application/json", "application/json; charset=utf-16"}) {
    const Result<void> checked = check_content_type(bad, BodyKind::json);
    ASSERT_FALSE(checked.has_value()) << bad;
    EXPECT_EQ(checked.error().code, ErrorCode::unsupported);
  }
  EXPECT_FALSE(check_content_type("application/json", BodyKind::octets).has_value());
}

}  // namespace
}  // namespace hone
