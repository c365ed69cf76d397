#include "server/listen_address.h"

#include <charconv>
#include <system_error>

#include <boost/asio/ip/address.hpp>

namespace hone {

Result<ListenAddress> parse_listen_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  ListenAddress listen;
  if (colon != std::string::npos) {
    const char* begin = text.data() + colon + 1;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, listen.port);
    listen.address = text.substr(0, colon);
    const bool bracketed = listen.address.starts_with('[') && listen.address.ends_with(']');
    if (bracketed) {
      listen.address = listen.address.substr(1, listen.address.size() - 2);
    }
    const bool bare_ipv6 = !bracketed && listen.address.find(':') != std::string::npos;
    if (error == std::errc() && stop == end && begin != end && !listen.address.empty() &&
        !bare_ipv6) {
      boost::system::error_code unnumbered;
      boost::asio::ip::make_address(listen.address, unnumbered);
      if (unnumbered) {
        return fail(ErrorCode::invalid_argument,
                    "\"" + listen.address +
                        "\" is no numeric address to listen on, like 127.0.0.1 or 0.0.0.0");
      }
      return listen;
    }
  }
  return fail(ErrorCode::invalid_argument,
              "\"" + text + "\" is no address and port, like 127.0.0.1:7077 or [::1]:0");
}

}  // namespace hone
