#include "server/http/security.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "server/http/letter_case.h"

namespace hone {
namespace {

// "name:80" and "[::1]:80" without the port; the text itself if it has none.
std::string_view without_port(std::string_view authority) {
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    return close == std::string_view::npos ? authority : authority.substr(0, close + 1);
  }
  return authority.substr(0, authority.find(':'));
}

// RFC 6750's b64token, and '=' anywhere.
constexpr bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == '+' || c == '/' || c == '=';
}

bool has_valid_port(std::string_view authority, std::string_view host) {
  const std::string_view rest = authority.substr(host.size());
  return rest.empty() || (rest.size() > 1 && rest.size() <= 6 && rest.front() == ':' &&
                          rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

// Whether a host part is this address, however it is written.
bool is_address(std::string_view host, const boost::asio::ip::address& address) {
  if (address.is_unspecified()) {
    return false;
  }
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
  }
  boost::system::error_code none;
  const auto said = boost::asio::ip::make_address(std::string(host.substr(0, 64)), none);
  if (none || said.is_v6() != bracketed || said.is_v6() != address.is_v6()) {
    return false;
  }
  // A zone is this machine's affair, and no client sends it.
  return said.is_v4() ? said.to_v4() == address.to_v4()
                      : said.to_v6().to_bytes() == address.to_v6().to_bytes();
}

}  // namespace

Result<void> check_host(std::string_view host_header, const std::vector<std::string>& allowed,
                        const boost::asio::ip::address& reached) {
  static constexpr std::array<std::string_view, 3> kOurs{"127.0.0.1", "localhost", "[::1]"};
  const std::string_view host = without_port(host_header);
  const auto is = [](std::string_view name) {
    return [name](std::string_view other) { return equal_but_case(name, other); };
  };
  const bool ours = std::ranges::any_of(kOurs, is(host));
  if (has_valid_port(host_header, host) &&
      (ours || std::ranges::any_of(allowed, is(host_header)) ||
       std::ranges::any_of(allowed, is(host)) || is_address(host, reached))) {
    return {};
  }
  return fail(ErrorCode::invalid_argument,
              "foreign Host \"" + std::string(host_header.substr(0, 200)) +
                  "\": honed answers to 127.0.0.1, localhost, [::1], the address that it is "
                  "reached at, and what --allow-host names");
}

Result<void> check_origin(std::string_view origin, const std::vector<std::string>& allowed,
                          const boost::asio::ip::address& reached) {
  if (origin.empty()) {
    return {};
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (equal_but_case(origin.substr(0, scheme.size()), scheme) &&
        check_host(origin.substr(scheme.size()), allowed, reached).has_value()) {
      return {};
    }
  }
  return fail(ErrorCode::permission_denied,
              "a request of a page of \"" + std::string(origin.substr(0, 200)) +
                  "\": pages of honed itself, and of what --allow-host names, may use it");
}

Result<std::string_view> bearer_token(std::string_view authorization) {
  static constexpr std::string_view kScheme = "bearer ";
  if (authorization.empty()) {
    return fail(ErrorCode::unauthenticated,
                "a token is needed: send the header \"Authorization: Bearer <token>\"");
  }
  if (!equal_but_case(authorization.substr(0, kScheme.size()), kScheme)) {
    return fail(ErrorCode::unauthenticated, "the Authorization header must be \"Bearer <token>\"");
  }
  const std::string_view token = trim(authorization.substr(kScheme.size()));
  const bool fits = std::ranges::all_of(token, is_token_character);
  if (token.empty() || token.size() > 512 || !fits) {
    return fail(ErrorCode::unauthenticated, "the Authorization header holds no token");
  }
  return token;
}

Result<void> check_content_type(std::string_view content_type, BodyKind kind) {
  const std::string_view wanted =
      kind == BodyKind::octets ? "application/octet-stream" : "application/json";
  std::string value(content_type);
  std::ranges::transform(value, value.begin(), lower_case);
  const std::size_t semicolon = std::min(value.find(';'), value.size());
  const std::string_view parameters = std::string_view(value).substr(semicolon);
  const bool foreign_charset = parameters.find("charset") != std::string_view::npos &&
                               parameters.find("utf-8") == std::string_view::npos;
  if (trim(std::string_view(value).substr(0, semicolon)) != wanted || foreign_charset) {
    return fail(ErrorCode::unsupported, "the Content-Type must be " + std::string(wanted) +
                                            ", not \"" + std::string(content_type.substr(0, 200)) +
                                            "\"");
  }
  return {};
}

const std::vector<NamedValue>& security_headers() {
  static const std::vector<NamedValue> kHeaders{
      {"X-Content-Type-Options", "nosniff"},
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
      {"Referrer-Policy", "no-referrer"}};
  return kHeaders;
}

}  // namespace hone
