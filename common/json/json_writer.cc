#include "common/json/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "common/json/document.h"

namespace hone {
namespace {

constexpr std::size_t kMaxDigits = 24;

bool is_plain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
}

}  // namespace

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

void JsonWriter::separate() {
  if (!first_ && !of_key_) {
    text_ += ',';
  }
  first_ = false;
  of_key_ = false;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_text(name);
  text_ += ':';
  of_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_text(value);
  return *this;
}

void JsonWriter::append_text(std::string_view value) {
  if (!is_plain(value)) {
    text_ += dump_json(Json(std::string(value)));
    return;
  }
  text_ += '"';
  text_ += value;
  text_ += '"';
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  separate();
  std::array<char, kMaxDigits> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  separate();
  text_ += dump_json(Json(value));
  return *this;
}

JsonWriter& JsonWriter::truth(bool value) {
  separate();
  text_ += value ? "true" : "false";
  return *this;
}

}  // namespace hone
