#include "common/protocol/fields.h"

#include <cmath>

#include "common/protocol/names.h"

namespace hone {
namespace {

double without_dust(double value) {
  return std::abs(value) < 1 / kHuge ? 0 : value;
}

}  // namespace

std::string read_name(ObjectReader& reader, std::string_view key) {
  std::string name = reader.text(key, {.max_size = 63});
  if (!name.empty() && !is_valid_name(name)) {
    reader.refuse(key, "must be a name: a-z or 0-9, then at most 62 of a-z 0-9 . _ -");
  }
  return name;
}

void check_relative_path(ObjectReader& reader, std::string_view key, const std::string& path) {
  if (!path.empty() && !is_safe_relative_path(path)) {
    reader.refuse(key, "must be a relative path without \"..\", not \"" + path + "\"");
  }
}

std::string read_optional_sha256(ObjectReader& reader, std::string_view key) {
  std::string text = text_or_empty(reader, key, 64);
  const bool hexadecimal = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!text.empty() && (text.size() != 64 || !hexadecimal)) {
    reader.refuse(key, "must be a SHA-256: 64 lower-case hexadecimal digits");
  }
  return text;
}

double read_measured(ObjectReader& reader, std::string_view key, double low, double high) {
  return without_dust(reader.number(key, low, high));
}

std::optional<double> read_optional_measured(ObjectReader& reader, std::string_view key, double low,
                                             double high) {
  const std::optional<double> value = reader.optional_number(key, low, high);
  return value ? std::optional(without_dust(*value)) : std::nullopt;
}

std::uint64_t read_seed(ObjectReader& reader, std::string_view key, std::uint64_t otherwise) {
  const auto seed = reader.optional_integer(key, 0, kMaxExactInteger);
  return seed ? static_cast<std::uint64_t>(*seed) : otherwise;
}

}  // namespace hone
