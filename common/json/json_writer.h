// JSON text written as it comes, for messages of a fixed form that are too many to be made
// documents first. Equal to dump_json() of the same document where keys are given in their order.
// Not thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace hone {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view name);
  // Of a key, or the next one of an array. Bytes that are not UTF-8 are replaced by U+FFFD.
  JsonWriter& text(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& number(double value);
  JsonWriter& truth(bool value);

  std::string take() { return std::move(text_); }

 private:
  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  void separate();
  void append_text(std::string_view value);

  std::string text_;
  bool first_ = true;  // in its object or array
  bool of_key_ = false;
};

}  // namespace hone
