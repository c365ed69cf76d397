// Requests that were refused for who asked (401, 403), in the log: what tells that somebody guesses
// tokens, or that a program has a wrong one. Of each client address one line at once, and then one
// a minute at most, with how many there were since the last. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "server/http/http_server.h"

namespace hone {

class RefusalLog {
 public:
  using Clock = std::chrono::steady_clock;

  // Logs `request_refused` at warning if it is one and its turn has come.
  void note(const RequestRecord& record, Clock::time_point now = Clock::now());

 private:
  struct Told {
    Clock::time_point at;
    std::uint64_t since = 0;  // refused since then, and not told
  };
  // By address and status.
  std::map<std::pair<boost::asio::ip::address, int>, Told> told_;
};

}  // namespace hone
