#include "server/http/anonymous_connections.h"

#include <string_view>

#include <gtest/gtest.h>

namespace hone {
namespace {

boost::asio::ip::address at(std::string_view text) {
  return boost::asio::ip::make_address(text);
}

TEST(AnonymousConnections, AnIpv4AddressIsAClient) {
  AnonymousConnections connections;
  connections.add(at("192.0.2.1"));
  connections.add(at("192.0.2.1"));
  EXPECT_EQ(connections.of(at("192.0.2.1")), 2U);
  EXPECT_EQ(connections.of(at("192.0.2.2")), 0U);
}

TEST(AnonymousConnections, ItIsTheSameOneWithinIpv6) {
  AnonymousConnections connections;
  connections.add(at("192.0.2.1"));
  connections.add(at("::ffff:192.0.2.1"));
  EXPECT_EQ(connections.of(at("::ffff:192.0.2.1")), 2U);
  EXPECT_EQ(connections.of(at("192.0.2.1")), 2U);
  EXPECT_EQ(connections.of(at("::ffff:192.0.2.2")), 0U) << "not all of IPv4 is one client";
}

TEST(AnonymousConnections, WhoHasANetworkOfIpv6HasOneShare) {
  AnonymousConnections connections;
  connections.add(at("2001:db8:1:2::1"));
  connections.add(at("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_EQ(connections.of(at("2001:db8:1:2:3:4:5:6")), 2U);
  EXPECT_EQ(connections.of(at("2001:db8:1:3::1")), 0U);
}

TEST(AnonymousConnections, LinksAreToldApart) {
  AnonymousConnections connections;
  connections.add(at("fe80::1%1"));
  EXPECT_EQ(connections.of(at("fe80::2%1")), 1U);
  EXPECT_EQ(connections.of(at("fe80::2%2")), 0U);
}

TEST(AnonymousConnections, NothingIsKeptOfWhoHasLeft) {
  AnonymousConnections connections;
  connections.add(at("2001:db8::1"));
  connections.add(at("2001:db8::2"));
  connections.forget(at("2001:db8::1"));
  EXPECT_EQ(connections.of(at("2001:db8::3")), 1U);
  connections.forget(at("2001:db8::2"));
  EXPECT_EQ(connections.clients(), 0U);
  connections.forget(at("2001:db8::2"));
  EXPECT_EQ(connections.of(at("2001:db8::2")), 0U);
}

}  // namespace
}  // namespace hone
