#include "common/settings/setting_values.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/text.h"

namespace hone {
namespace {

Result<std::string> scalar_text(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_boolean() || value.is_number()) {
    return dump_json(value);
  }
  return fail(ErrorCode::invalid_argument,
              value.is_null() ? "has no value" : "must be one value, no list and no mapping");
}

}  // namespace

std::string describe(WholeNumbers range) {
  return fmt::format("whole number, {} to {}", range.low, range.high);
}

Result<std::int64_t> parse_whole_number(std::string_view text, WholeNumbers range) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < range.low || number > range.high) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("'{}' must be a whole number from {} to {}", text, range.low, range.high));
  }
  return number;
}

Result<bool> parse_switch(std::string_view text) {
  for (const std::string_view on : {"true", "yes", "on", "1"}) {
    if (text == on) {
      return true;
    }
  }
  for (const std::string_view off : {"false", "no", "off", "0"}) {
    if (text == off) {
      return false;
    }
  }
  return fail(ErrorCode::invalid_argument, fmt::format("'{}' must be true or false", text));
}

Result<std::size_t> parse_choice(std::string_view text, const std::vector<std::string>& spellings) {
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    if (spellings[i] == text) {
      return i;
    }
  }
  const std::string close = closest(text, spellings);
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' must be one of {}{}", text, join(spellings, ", "),
                          close.empty() ? "" : "; did you mean " + close + "?"));
}

Result<std::vector<std::string>> texts_of(const Json& value, SettingShape shape) {
  std::vector<std::string> texts;
  if (shape == SettingShape::list && value.is_array()) {
    for (const Json& item : value) {
      HONE_TRY(std::string text, scalar_text(item));
      texts.push_back(std::move(text));
    }
    return texts;
  }
  HONE_TRY(std::string text, scalar_text(value));
  texts.push_back(std::move(text));
  return texts;
}

}  // namespace hone
