#include "common/client/url.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "common/protocol/locations.h"

namespace hone {
namespace {

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}
bool is_ipv6_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == '.' ||
         c == ':';
}
bool is_path_character(char c) {
  return c > ' ' && c < 0x7f && c != '?' && c != '#';
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

Error bad_url(std::string_view text, std::string_view why) {
  return fail(ErrorCode::invalid_argument,
              "\"" + std::string(text) + "\" is no server URL: " + std::string(why));
}

}  // namespace

std::string Url::authority() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + port;
}

Result<Url> parse_url(std::string_view text) {
  static constexpr std::string_view kPlain = "http://";
  static constexpr std::string_view kSecure = "https://";
  const bool secure = text.starts_with(kSecure);
  if (!secure && !text.starts_with(kPlain)) {
    return bad_url(text, "it must start with http:// or https://");
  }
  std::string_view rest = text.substr(secure ? kSecure.size() : kPlain.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  std::string_view prefix = rest.substr(slash);
  while (prefix.ends_with('/')) {
    prefix.remove_suffix(1);
  }
  if (authority.find('@') != std::string_view::npos) {
    return bad_url(text, "a user name is not allowed in it");
  }

  Url url;
  url.secure = secure;
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) {
      return bad_url(text, "']' is missing");
    }
    url.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
    if (!std::ranges::all_of(url.host, is_ipv6_character)) {
      return bad_url(text, "the address in brackets is no IPv6 address");
    }
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    port = authority.substr(colon);
    if (!std::ranges::all_of(url.host, is_host_character)) {
      return bad_url(text, "the host name has a character that host names do not have");
    }
  }
  if (url.host.empty()) {
    return bad_url(text, "the host is missing");
  }
  const std::string usual = secure ? "443" : std::to_string(kDefaultPort);
  url.port = port.empty() ? usual : std::string(port.substr(1));
  if (!port.empty() && (port.front() != ':' || !is_port(url.port))) {
    return bad_url(text, "the port must be a number from 1 to 65535");
  }
  if (!std::ranges::all_of(prefix, is_path_character)) {
    return bad_url(text, "it must end with host, port or a path");
  }
  url.prefix = prefix;
  return url;
}

}  // namespace hone
