#include "build_integration/programs/benchmark_uri.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::string_view kDefaultScheme = "benchmark";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int hex_value(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// '+' is a blank, %41 is A; a '%' that begins neither stays.
std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

// As Python's quote_plus.
std::string encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-' || c == '~') {
      result += c;
    } else if (c == ' ') {
      result += '+';
    } else {
      result += '%';
      result += kHexDigits[byte >> 4U];
      result += kHexDigits[byte & 15U];
    }
  }
  return result;
}

// "name:" at the front, taken off; in lower case.
std::string take_scheme(std::string_view& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(text[0])) {
    return "";
  }
  std::string scheme(text.substr(0, colon));
  const bool valid = std::ranges::all_of(scheme, [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
  if (!valid) {
    return "";
  }
  std::ranges::transform(scheme, scheme.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  text.remove_prefix(colon + 1);
  return scheme;
}

// What stands behind the first `separator`, taken off along with it.
std::string take_behind(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) {
    return "";
  }
  std::string behind(text.substr(at + 1));
  text = text.substr(0, at);
  return behind;
}

void add_param(BenchmarkUri& uri, std::string name, std::string value) {
  const auto known =
      std::ranges::find(uri.params, name, [](const auto& param) { return param.first; });
  if (known == uri.params.end()) {
    uri.params.emplace_back(std::move(name), std::vector{std::move(value)});
  } else {
    known->second.push_back(std::move(value));
  }
}

BenchmarkUri parse(std::string_view text) {
  BenchmarkUri uri;
  uri.scheme = take_scheme(text);
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::string_view dataset = text.substr(0, text.find_first_of("/?#"));
    uri.dataset = dataset;
    text.remove_prefix(dataset.size());
  }
  uri.fragment = take_behind(text, '#');
  const std::string query = take_behind(text, '?');
  uri.path = text;
  for (const std::string_view piece : split(query, '&')) {
    const std::size_t equals = piece.find('=');
    if (equals != std::string_view::npos && equals + 1 < piece.size()) {
      add_param(uri, decoded(piece.substr(0, equals)), decoded(piece.substr(equals + 1)));
    }
  }
  return uri;
}

}  // namespace

Result<BenchmarkUri> parse_benchmark_uri(std::string_view text) {
  if (text.size() > kMaxUriBytes) {
    return fail(ErrorCode::too_large, "a URI of " + std::to_string(text.size()) +
                                          " bytes, at most " + std::to_string(kMaxUriBytes) +
                                          " are read");
  }
  const bool control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (control) {
    return fail(ErrorCode::invalid_argument, "a URI must not hold control characters");
  }
  BenchmarkUri uri = parse(text);
  if (uri.scheme.empty() && uri.dataset.empty()) {
    uri = parse(std::string(kDefaultScheme) + "://" + std::string(text));
  }
  return uri;
}

std::string to_string(const BenchmarkUri& uri) {
  std::string text = uri.path;
  // A path without a dataset keeps its slashes for the schemes that name files.
  if (!uri.dataset.empty() || (uri.scheme != kDefaultScheme && text.starts_with('/'))) {
    const bool slash = !text.empty() && !text.starts_with('/');
    text = "//" + uri.dataset + (slash ? "/" : "") + text;
  }
  if (!uri.scheme.empty()) {
    text = uri.scheme + ":" + text;
  }
  std::string query;
  for (const auto& [name, values] : uri.params) {
    for (const std::string& value : values) {
      query += (query.empty() ? "?" : "&") + encoded(name) + "=" + encoded(value);
    }
  }
  return text + query + (uri.fragment.empty() ? "" : "#" + uri.fragment);
}

std::optional<DatasetTag> dataset_tag(std::string_view dataset) {
  const std::size_t at = dataset.rfind("-v");
  if (at == std::string_view::npos || at == 0) {
    return std::nullopt;
  }
  DatasetTag tag{std::string(dataset.substr(0, at)), 0};
  const std::string_view digits = dataset.substr(at + 2);
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), tag.version);
  if (digits.empty() || error != std::errc() || end != digits.end()) {
    return std::nullopt;
  }
  return tag;
}

}  // namespace hone
