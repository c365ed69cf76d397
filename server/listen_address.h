// Where a server listens, as people write it. Thread safe.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"

namespace hone {

struct ListenAddress {
  std::string address;
  std::uint16_t port = 0;
};

// "127.0.0.1:7077" or "[::1]:0" into its parts; invalid_argument, also for a name.
Result<ListenAddress> parse_listen_address(const std::string& text);

}  // namespace hone
