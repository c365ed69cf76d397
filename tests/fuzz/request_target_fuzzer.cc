// Fuzzes what is read of a request's header: the target, the host, the token, the media type, and
// the query's values as handlers take them. Input: a byte that chooses, then the text.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "common/base/text.h"
#include "server/http/request_target.h"
#include "server/http/security.h"
#include "tests/fuzz/check.h"

namespace hone {
namespace {

// Every byte escaped, so that there is one way only to read it.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return result;
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void check_target(std::string_view text) {
  const Result<RequestTarget> read = parse_request_target(text);
  if (!read.has_value()) {
    FUZZ_CHECK(read.error().code == ErrorCode::invalid_argument && !read.error().message.empty());
    return;
  }
  std::string again;
  for (const std::string& segment : read->segments) {
    FUZZ_CHECK(!segment.empty() && segment != "." && segment != "..");
    FUZZ_CHECK(segment.find_first_of("/\\") == std::string::npos);
    FUZZ_CHECK(!has_control_character(segment) && is_utf8(segment));
    again += "/" + escaped(segment);
  }
  again += again.empty() ? "/" : "";
  char separator = '?';
  for (const auto& [name, value] : read->query) {
    FUZZ_CHECK(!name.empty() && !has_control_character(name) && !has_control_character(value));
    FUZZ_CHECK(is_utf8(name) && is_utf8(value));
    FUZZ_CHECK(std::ranges::count(read->query, name, &NamedValue::first) == 1);
    again += separator + escaped(name) + "=" + escaped(value);
    separator = '&';
  }
  const Result<RequestTarget> second = parse_request_target(again);
  FUZZ_CHECK(second.has_value());
  FUZZ_CHECK(second->segments == read->segments && second->query == read->query);
}

void check_host_header(const std::string& text) {
  if (!check_host(text, {"hone.example", "ci.example:8443"}).has_value()) {
    return;
  }
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  const std::size_t port = lower.rfind(':');
  const std::string host =
      lower.ends_with(']') || port == std::string::npos ? lower : lower.substr(0, port);
  FUZZ_CHECK(host == "127.0.0.1" || host == "localhost" || host == "[::1]" ||
             host == "hone.example" || lower == "ci.example:8443");
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      hone::check_host_header(text);
      break;
    case 1: {
      const auto token = hone::bearer_token(text);
      FUZZ_CHECK(!token.has_value() || (!token->empty() && token->size() <= 512 &&
                                        token->find_first_of(" \t\r\n") == std::string::npos));
      break;
    }
    case 2:
      for (const auto kind : {hone::BodyKind::json, hone::BodyKind::octets}) {
        FUZZ_CHECK(!hone::check_content_type(text, kind).has_value() ||
                   text.find('/') != std::string::npos);
      }
      break;
    default:
      hone::check_target(text);
      break;
  }
  return 0;
}
