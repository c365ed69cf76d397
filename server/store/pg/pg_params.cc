#include "server/store/pg/pg_params.h"

#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the UTF-8 sequence at the start of `text` (RFC 3629, no surrogates, no overlong forms),
// or 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < text.size() && at(i) >= low && at(i) <= high;
  };
  const unsigned lead = at(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return continues(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// jsonb refuses the escape \u0000 as text refuses the byte.
std::string without_nul_escapes(std::string text) {
  std::size_t at = 0;
  while ((at = text.find('\\', at)) != std::string::npos) {
    if (text.compare(at, 6, "\\u0000") == 0) {
      text.replace(at, 6, "\\ufffd");
    }
    at += 2;  // an escape is at least two characters; "\\\\u0000" is a backslash and then text
  }
  return text;
}

std::string number_text(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "Infinity" : "-Infinity";
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

void append_array_text(std::string& array, std::string_view text) {
  array.push_back('"');
  for (const char c : storable_text(text)) {
    if (c == '"' || c == '\\') {
      array.push_back('\\');
    }
    array.push_back(c);
  }
  array.push_back('"');
}

template <class Values, class Append>
std::string array_text(const Values& values, const Append& append) {
  std::string array = "{";
  for (const auto& value : values) {
    if (array.size() > 1) {
      array.push_back(',');
    }
    append(array, value);
  }
  array.push_back('}');
  return array;
}

}  // namespace

std::string storable_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = text.front() == '\0' ? 0 : sequence_length(text);
    if (length == 0) {
      clean += kReplacement;
      text.remove_prefix(1);
    } else {
      clean += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

std::string storable_json_text(const Json& document) {
  return without_nul_escapes(dump_json(document));
}

PgParams& PgParams::null() {
  values_.emplace_back(std::nullopt);
  return *this;
}

PgParams& PgParams::text(std::string_view value) {
  values_.emplace_back(storable_text(value));
  return *this;
}

PgParams& PgParams::integer(std::int64_t value) {
  values_.emplace_back(std::to_string(value));
  return *this;
}

PgParams& PgParams::unsigned_integer(std::uint64_t value) {
  values_.emplace_back(std::to_string(value));
  return *this;
}

PgParams& PgParams::number(double value) {
  values_.emplace_back(number_text(value));
  return *this;
}

PgParams& PgParams::truth(bool value) {
  values_.emplace_back(value ? "t" : "f");
  return *this;
}

PgParams& PgParams::json(const Json& value) {
  values_.emplace_back(storable_json_text(value));
  return *this;
}

PgParams& PgParams::integer(std::optional<std::int64_t> value) {
  return value ? integer(*value) : null();
}

PgParams& PgParams::number(std::optional<double> value) {
  return value ? number(*value) : null();
}

PgParams& PgParams::text_or_null(std::string_view value) {
  return value.empty() ? null() : text(value);
}

PgParams& PgParams::text_array(const std::vector<std::string>& values) {
  values_.emplace_back(array_text(values, append_array_text));
  return *this;
}

PgParams& PgParams::text_array(const std::optional<std::vector<std::string>>& values) {
  return values ? text_array(*values) : null();
}

PgParams& PgParams::integer_array(const std::vector<std::int64_t>& values) {
  values_.emplace_back(array_text(
      values, [](std::string& array, std::int64_t value) { array += std::to_string(value); }));
  return *this;
}

PgParams& PgParams::number_array(const std::vector<std::optional<double>>& values) {
  values_.emplace_back(
      array_text(values, [](std::string& array, const std::optional<double>& value) {
        array += value ? number_text(*value) : "NULL";
      }));
  return *this;
}

PgParams& PgParams::truth_array(const std::vector<bool>& values) {
  values_.emplace_back(
      array_text(values, [](std::string& array, bool value) { array += value ? "t" : "f"; }));
  return *this;
}

std::vector<const char*> PgParams::pointers() const {
  std::vector<const char*> list;
  list.reserve(values_.size());
  for (const std::optional<std::string>& value : values_) {
    list.push_back(value ? value->c_str() : nullptr);
  }
  return list;
}

}  // namespace hone
