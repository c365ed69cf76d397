// The checks every request passes before a handler sees it. Thread safe.
//
// honed listens on loopback, where web pages (by DNS rebinding) and other local users can reach it
// too: so the Host header must be one of ours, a body must say a type that a form cannot send, and
// everything but health needs a token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "common/base/result.h"
#include "server/http/router.h"

namespace hone {

// invalid_argument "foreign Host" unless the header's host part (its port is free) is 127.0.0.1,
// localhost, [::1], the address that the connection came to (`reached`: a page that was brought
// here by rebinding a name says the name; unspecified: not known), or one of `allowed` (written
// with or without a port; with one, it must agree).
Result<void> check_host(std::string_view host_header, const std::vector<std::string>& allowed,
                        const boost::asio::ip::address& reached = {});

// permission_denied for the Origin of a page that check_host would not take ("null" included): a
// browser sends it for a page's own requests across sites, and for WebSockets always. Empty: fine.
Result<void> check_origin(std::string_view origin, const std::vector<std::string>& allowed,
                          const boost::asio::ip::address& reached = {});

// The token of "Authorization: Bearer <token>", which stands in the header; unauthenticated if that
// is empty, of another scheme, or holds what no token holds.
Result<std::string_view> bearer_token(std::string_view authorization);

// unsupported unless the media type (parameters aside; charset must be UTF-8) is what the kind of
// body wants.
Result<void> check_content_type(std::string_view content_type, BodyKind kind);

// Sent with every reply.
const std::vector<NamedValue>& security_headers();

}  // namespace hone
