#include "common/json/document.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/printable.h"
#include "common/json/pointer.h"

namespace hone {
namespace {

// Builds the document from SAX events, so that duplicate keys and depth are seen as they come.
class StrictBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit StrictBuilder(int depth_limit) : depth_limit_(depth_limit) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!std::isfinite(value)) {
      return refuse("the number " + text + " does not fit a double");
    }
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary data is not JSON"); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool key(string_t& value) override {
    Open& object = open_.back();
    const auto [member, fresh] =
        object.container->get_ref<Json::object_t&>().try_emplace(std::move(value));
    if (!fresh) {
      return refuse("the key \"" + member->first + "\" stands twice in " + where());
    }
    object.key = &member->first;
    object.value = &member->second;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& reason) override {
    std::string text = reason.what();
    const std::size_t colon = text.rfind("; ");
    message_ = "not JSON at byte " + std::to_string(position);
    if (colon != std::string::npos) {
      message_ += ": " + text.substr(colon + 2);
    }
    return false;
  }

  const std::string& message() const { return message_; }
  Json take() { return std::move(root_); }

 private:
  // An object or array that is being read.
  struct Open {
    Json* container = nullptr;
    const std::string* key = nullptr;  // of an object's member that is being read
    Json* value = nullptr;             // its place
  };

  // The innermost one. Only asked for where something is wrong.
  std::string where() const {
    std::string pointer;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Open& outer = open_[i];
      pointer = child_pointer(
          pointer, outer.key != nullptr ? *outer.key : std::to_string(outer.container->size() - 1));
    }
    return pointer.empty() ? "the document" : pointer;
  }

  bool refuse(std::string message) {
    message_ = std::move(message);
    return false;
  }

  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    const Open& parent = open_.back();
    if (parent.value == nullptr) {
      parent.container->push_back(std::move(value));
      return &parent.container->back();
    }
    return &(*parent.value = std::move(value));
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (static_cast<int>(open_.size()) >= depth_limit_) {
      return refuse("nested deeper than " + std::to_string(depth_limit_) + " levels");
    }
    open_.push_back({.container = place(std::move(container)), .key = nullptr, .value = nullptr});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  int depth_limit_;
  Json root_;
  std::vector<Open> open_;
  std::string message_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return fail(ErrorCode::too_large, "the JSON document has " + std::to_string(text.size()) +
                                          " bytes, the limit is " + std::to_string(limits.bytes));
  }
  StrictBuilder builder(limits.depth);
  if (!Json::sax_parse(text, &builder)) {
    return fail(ErrorCode::invalid_argument, builder.message());
  }
  // Json converts to anything, Error included, so the value must be named as the value.
  return Result<Json>(boost::system::in_place_value, builder.take());
}

bool holds_nul(const Json& document) {
  if (document.is_string()) {
    return document.get_ref<const std::string&>().find('\0') != std::string::npos;
  }
  if (document.is_object()) {
    return std::ranges::any_of(document.items(), [](const auto& member) {
      return member.key().find('\0') != std::string::npos || holds_nul(member.value());
    });
  }
  return document.is_array() && std::ranges::any_of(document, holds_nul);
}

std::string dump_json(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string dump_json_pretty(const Json& document) {
  return printable_json(document.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace hone
