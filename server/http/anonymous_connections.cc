#include "server/http/anonymous_connections.h"

#include <algorithm>

namespace hone {
namespace {

namespace ip = boost::asio::ip;

// The address itself, or the first one of its /64. An IPv4 address is the same one whether the
// socket that accepted it is of IPv4, or of IPv6 and has it as ::ffff:a.b.c.d.
ip::address client_of(const ip::address& address) {
  if (!address.is_v6()) {
    return address;
  }
  const ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, v6);
  }
  ip::address_v6::bytes_type bytes = v6.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), 0);
  return ip::address_v6(bytes, v6.scope_id());
}

}  // namespace

bool AnonymousConnections::same(const ip::address& left, const ip::address& right) {
  return client_of(left) == client_of(right);
}

std::size_t AnonymousConnections::of(const ip::address& address) const {
  const auto found = counts_.find(client_of(address));
  return found == counts_.end() ? 0 : found->second;
}

void AnonymousConnections::add(const ip::address& address) {
  ++counts_[client_of(address)];
}

void AnonymousConnections::forget(const ip::address& address) {
  const auto found = counts_.find(client_of(address));
  if (found != counts_.end() && --found->second == 0) {
    counts_.erase(found);
  }
}

}  // namespace hone
