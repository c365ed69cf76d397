#include "server/http/request_target.h"

#include <algorithm>
#include <optional>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::ptrdiff_t kMaxParameters = 64;

Error bad_target(std::string why) {
  return fail(ErrorCode::invalid_argument, "bad request target: " + std::move(why));
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<unsigned>(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return static_cast<unsigned>(c - 'a') + 10U;
  }
  if (c >= 'A' && c <= 'F') {
    return static_cast<unsigned>(c - 'A') + 10U;
  }
  return std::nullopt;
}

enum class PlusSign { literal, space };

// Percent-decoded text; nothing for a bad escape, a character that must not be in a target, or
// bytes that are no text.
std::optional<std::string> decode(std::string_view text, PlusSign plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) {
        return std::nullopt;
      }
      const auto high = hex_digit(text[i + 1]);
      const auto low = hex_digit(text[i + 2]);
      if (!high || !low) {
        return std::nullopt;
      }
      c = static_cast<char>(*high << 4U | *low);
      i += 2;
    } else if (c == '+' && plus == PlusSign::space) {
      c = ' ';
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return std::nullopt;
    }
    decoded.push_back(c);
  }
  if (!is_utf8(decoded)) {
    return std::nullopt;
  }
  return decoded;
}

}  // namespace

Result<RequestTarget> parse_request_target(std::string_view text) {
  if (!text.starts_with('/')) {
    return bad_target("it must start with '/'");
  }
  if (text.find('#') != std::string_view::npos) {
    return bad_target("it has a fragment");
  }
  RequestTarget target;
  const std::size_t question = std::min(text.find('?'), text.size());
  const std::string_view path = text.substr(1, question - 1);
  target.segments.reserve(8);
  if (!path.empty()) {
    for (const std::string_view raw : split(path, '/')) {
      std::optional<std::string> segment = decode(raw, PlusSign::literal);
      if (!segment) {
        return bad_target("\"" + std::string(raw) +
                          "\" has a bad escape, a control character or bytes that are not UTF-8");
      }
      if (segment->empty() || *segment == "." || *segment == "..") {
        return bad_target("empty, \".\" and \"..\" path segments are not allowed");
      }
      if (segment->find_first_of("/\\") != std::string::npos) {
        return bad_target("a path segment must not hold a slash");
      }
      target.segments.push_back(*std::move(segment));
    }
  }
  const std::string_view query = text.substr(std::min(question + 1, text.size()));
  if (query.empty()) {
    return target;
  }
  if (std::ranges::count(query, '&') >= kMaxParameters) {
    return bad_target("it has more than " + std::to_string(kMaxParameters) + " query parameters");
  }
  for (const std::string_view pair : split(query, '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = decode(pair.substr(0, equals), PlusSign::space);
    std::optional<std::string> value =
        decode(pair.substr(std::min(equals + 1, pair.size())), PlusSign::space);
    if (!name || !value || name->empty()) {
      return bad_target("\"" + std::string(pair) + "\" is no query parameter");
    }
    if (std::ranges::find(target.query, *name, &NamedValue::first) != target.query.end()) {
      return Error{
          ErrorCode::invalid_argument, "bad query", {{"/" + *name, "the parameter stands twice"}}};
    }
    target.query.emplace_back(*std::move(name), *std::move(value));
  }
  return target;
}

}  // namespace hone
