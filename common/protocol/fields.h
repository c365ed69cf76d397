// Fields that several wire types share, read and written alike. For the files of common/protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"

namespace hone {

// Versions of targets and policies are counted in 32 bits. For whoever reads one.
inline constexpr std::int64_t kMaxVersion = 1'000'000'000;
// No measured value is larger, and what is nearer to zero than its inverse is zero: the store shows
// numbers in single precision too, which has none as small as a double's least.
inline constexpr double kHuge = 1e18;
// Of jobs and campaigns: a year, in seconds.
inline constexpr std::int64_t kLongestDeadline = std::int64_t{365} * 86'400;

// An absent or null text is "", and "" is written as null: one spelling of "there is none".
inline std::string text_or_empty(ObjectReader& reader, std::string_view key,
                                 std::size_t max_size = 4096) {
  return reader.optional_text(key, {.min_size = 0, .max_size = max_size}).value_or("");
}
inline Json null_if_empty(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

template <class T>
Json null_if_absent(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
template <class T>
Json spelling_or_null(const std::optional<T>& value) {
  return value ? Json(std::string(to_string(*value))) : Json();
}
template <class T>
Json spelling(T value) {
  return Json(std::string(to_string(value)));
}

template <class T>
Json list_to_json(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) {
    list.push_back(to_json(item));
  }
  return list;
}

// A name as is_valid_name wants it.
std::string read_name(ObjectReader& reader, std::string_view key);
// Refuses a path at `key` that is_safe_relative_path refuses; an empty one was noted already.
void check_relative_path(ObjectReader& reader, std::string_view key, const std::string& path);
// 64 lower-case hexadecimal digits; absent gives "".
std::string read_optional_sha256(ObjectReader& reader, std::string_view key);
// A number as above.
double read_measured(ObjectReader& reader, std::string_view key, double low, double high);
std::optional<double> read_optional_measured(ObjectReader& reader, std::string_view key, double low,
                                             double high);
// 0..2^53-1; `otherwise` when absent.
std::uint64_t read_seed(ObjectReader& reader, std::string_view key, std::uint64_t otherwise);

// The usual frame of parse_<type>: read the whole document, unknown keys, all problems at once.
template <class T>
Result<T> parse_document(const Json& document, UnknownKeys unknown, std::string_view what,
                         T (*read)(ObjectReader&)) {
  Problems problems;
  ObjectReader reader(document, "", problems, unknown);
  T value = read(reader);
  reader.finish();
  if (auto error = problems.as_error(what)) {
    return *std::move(error);
  }
  return value;
}

}  // namespace hone
