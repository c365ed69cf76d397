#include "common/yaml/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

Result<Json> holding(Json value) {
  return {boost::system::in_place_value, std::move(value)};
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> spellings) {
  return std::find(spellings.begin(), spellings.end(), text) != spellings.end();
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool looks_like_float(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && '0' <= text[at] && text[at] <= '9') {
      ++at;
    }
    return at - from;
  };
  const auto sign = [&] {
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
      ++at;
    }
  };
  sign();
  const std::size_t before = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0 && before == 0) {
      return false;
    }
  } else if (before == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    sign();
    if (digits() == 0) {
      return false;
    }
  }
  return at == text.size();
}

// from_chars knows no leading '+'.
std::string_view without_plus(std::string_view text) {
  return text.starts_with('+') ? text.substr(1) : text;
}

std::optional<Json> integer_of(std::string_view digits, int base) {
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc() && end == digits.data() + digits.size()) {
    return Json(value);
  }
  std::uint64_t large = 0;
  const auto [large_end, large_error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), large, base);
  if (large_error == std::errc() && large_end == digits.data() + digits.size()) {
    return Json(large);
  }
  return std::nullopt;
}

}  // namespace

Result<Json> plain_yaml_scalar(const std::string& text) {
  const std::string_view view = text;
  if (is_one_of(view, {"", "~", "null", "Null", "NULL"})) {
    return holding(nullptr);
  }
  if (is_one_of(view, {"true", "True", "TRUE"})) {
    return holding(true);
  }
  if (is_one_of(view, {"false", "False", "FALSE"})) {
    return holding(false);
  }
  const std::string_view unsigned_part =
      view.starts_with('-') || view.starts_with('+') ? view.substr(1) : view;
  if (is_one_of(unsigned_part, {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"})) {
    return fail(ErrorCode::invalid_argument, "'" + text + "' is no number that is accepted here");
  }
  std::optional<Json> value;
  if (all_digits(unsigned_part)) {
    value = integer_of(without_plus(view), 10);
  } else if (view.starts_with("0x") && view.size() > 2 &&
             view.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos) {
    value = integer_of(view.substr(2), 16);
  } else if (view.starts_with("0o") && view.size() > 2 &&
             view.find_first_not_of("01234567", 2) == std::string_view::npos) {
    value = integer_of(view.substr(2), 8);
  } else if (looks_like_float(view)) {
    double number = 0;
    const std::string_view digits = without_plus(view);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && std::isfinite(number)) {
      value = Json(number);
    }
  } else {
    return holding(text);
  }
  if (!value) {
    return fail(ErrorCode::invalid_argument,
                "'" + text + "' is too large for a number; if it is meant as text, quote it");
  }
  return holding(*std::move(value));
}

}  // namespace hone
