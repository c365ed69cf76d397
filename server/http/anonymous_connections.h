// How many connections each client has that have shown no good token yet.
//
// A client is an IPv4 address, or the /64 of an IPv6 one: the smallest part of a network that is
// given away, so that whoever has it has all of its addresses. Not thread safe.
#pragma once

#include <cstddef>
#include <unordered_map>

#include <boost/asio/ip/address.hpp>

namespace hone {

class AnonymousConnections {
 public:
  // Whether these are addresses of one client.
  static bool same(const boost::asio::ip::address& left, const boost::asio::ip::address& right);
  std::size_t of(const boost::asio::ip::address& address) const;
  void add(const boost::asio::ip::address& address);
  // One that was added ended, or showed a token.
  void forget(const boost::asio::ip::address& address);
  // Clients that have any.
  std::size_t clients() const { return counts_.size(); }

 private:
  std::unordered_map<boost::asio::ip::address, std::size_t> counts_;  // by client_of()
};

}  // namespace hone
