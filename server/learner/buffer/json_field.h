// Values of a line as simdjson comes to them, taken once and in order. Each take gives false for a
// value of another kind; null is an absent value. For the files of this folder. Thread safe.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

using Field = simdjson::simdjson_result<simdjson::ondemand::value>;

inline bool take(Field& field, std::string& text) {
  text.clear();
  bool absent = false;
  if (field.is_null().get(absent) == simdjson::SUCCESS && absent) {
    return true;
  }
  std::string_view view;
  if (field.get_string().get(view) != simdjson::SUCCESS) {
    return false;
  }
  text.assign(view);
  return true;
}

inline bool take(Field& field, bool& truth) {
  return field.get_bool().get(truth) == simdjson::SUCCESS;
}

inline bool take(Field& field, std::int64_t& number) {
  return field.get_int64().get(number) == simdjson::SUCCESS;
}

inline bool take(Field& field, double& number) {
  return field.get_double().get(number) == simdjson::SUCCESS;
}

template <class T>
inline bool take(Field& field, std::optional<T>& value) {
  value.reset();
  bool absent = false;
  if (field.is_null().get(absent) == simdjson::SUCCESS && absent) {
    return true;
  }
  T given{};
  if (!take(field, given)) {
    return false;
  }
  value = given;
  return true;
}

// As it stands, null as nothing.
inline bool take_document(Field& field, std::string& text) {
  std::string_view view;
  if (simdjson::to_json_string(field).get(view) != simdjson::SUCCESS) {
    return false;
  }
  text.assign(view == "null" ? std::string_view() : view);
  return true;
}

// Calls each(field) for the elements of an array; null has none.
template <class Each>
inline bool take_list(Field& field, const Each& each) {
  bool absent = false;
  if (field.is_null().get(absent) == simdjson::SUCCESS && absent) {
    return true;
  }
  simdjson::ondemand::array list;
  if (field.get_array().get(list) != simdjson::SUCCESS) {
    return false;
  }
  for (Field item : list) {
    if (!each(item)) {
      return false;
    }
  }
  return true;
}

// Calls each(key, field) for the members of an object; null has none.
template <class Each>
inline bool take_members(Field& field, const Each& each) {
  bool absent = false;
  if (field.is_null().get(absent) == simdjson::SUCCESS && absent) {
    return true;
  }
  simdjson::ondemand::object object;
  if (field.get_object().get(object) != simdjson::SUCCESS) {
    return false;
  }
  for (auto member : object) {
    std::string_view key;
    if (member.unescaped_key().get(key) != simdjson::SUCCESS) {
      return false;
    }
    Field value = member.value();
    if (!each(key, value)) {
      return false;
    }
  }
  return true;
}

template <class Row, class Value>
struct Member {
  std::string_view key;
  Value Row::* member;
};

}  // namespace hone
