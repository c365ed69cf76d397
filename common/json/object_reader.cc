#include "common/json/object_reader.h"

#include <nlohmann/json.hpp>

#include "common/json/pointer.h"

namespace hone {
namespace {

// A value as shown in a message: short enough to read.
std::string shown(const Json& value) {
  std::string text = dump_json(value);
  if (text.size() > 60) {
    text.resize(57);
    text += "...";
  }
  return text;
}

std::string shown(double value) {
  return dump_json(Json(value));
}

}  // namespace

void Problems::add(std::string pointer, std::string detail) {
  static constexpr std::size_t kMost = 100;  // a reader needs no more to see what is wrong
  if (list_.size() < kMost) {
    list_.push_back({std::move(pointer), std::move(detail)});
  }
}

std::optional<Error> Problems::as_error(std::string_view what) const {
  if (list_.empty()) {
    return std::nullopt;
  }
  return Error{ErrorCode::invalid_argument, "bad " + std::string(what), list_};
}

ObjectReader::ObjectReader(const Json& document, std::string pointer, Problems& problems,
                           UnknownKeys unknown)
    : document_(&document), pointer_(std::move(pointer)), problems_(problems), unknown_(unknown) {
  if (!document.is_object()) {
    problems_.add(pointer_, std::string("must be an object, not ") + document.type_name());
    document_ = nullptr;
  }
}

const Json* ObjectReader::find(std::string_view key) {
  known_.emplace(key);
  if (document_ == nullptr) {
    return nullptr;
  }
  const auto at = document_->find(key);
  return at == document_->end() || at->is_null() ? nullptr : &*at;
}

const Json* ObjectReader::require(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr && document_ != nullptr) {
    refuse(key, "is missing");
  }
  return value;
}

bool ObjectReader::has(std::string_view key) {
  return find(key) != nullptr;
}

void ObjectReader::refuse(std::string_view key, std::string detail) {
  if (document_ == nullptr) {
    return;  // noted already: it is no object, so it has no such field
  }
  problems_.add(child_pointer(pointer_, key), std::move(detail));
}

void ObjectReader::finish() {
  if (document_ == nullptr || unknown_ == UnknownKeys::ignore) {
    return;
  }
  for (const auto& [key, value] : document_->items()) {
    if (!known_.contains(key)) {
      std::string choices;
      for (const std::string& name : known_) {
        choices += (choices.empty() ? "" : ", ") + name;
      }
      refuse(key, "unknown key; known are: " + choices);
    }
  }
}

std::optional<std::string> ObjectReader::read_text(std::string_view key, const Json& value,
                                                   TextLimits limits) {
  if (!value.is_string()) {
    refuse(key, "must be a text, not " + shown(value));
    return std::nullopt;
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() < limits.min_size || text.size() > limits.max_size) {
    refuse(key, "must have " + std::to_string(limits.min_size) + " to " +
                    std::to_string(limits.max_size) + " bytes, has " + std::to_string(text.size()));
    return std::nullopt;
  }
  if (text.find('\0') != std::string::npos) {
    refuse(key, "must not hold a NUL character");
    return std::nullopt;
  }
  return text;
}

std::optional<std::int64_t> ObjectReader::read_integer(std::string_view key, const Json& value,
                                                       std::int64_t low, std::int64_t high) {
  const std::string range = std::to_string(low) + " to " + std::to_string(high);
  if (!value.is_number_integer()) {
    refuse(key, "must be a whole number from " + range + ", not " + shown(value));
    return std::nullopt;
  }
  const bool huge =
      value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  if (huge || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
    refuse(key, "must be from " + range + ", not " + shown(value));
    return std::nullopt;
  }
  return value.get<std::int64_t>();
}

std::optional<double> ObjectReader::read_number(std::string_view key, const Json& value, double low,
                                                double high) {
  if (!value.is_number() || value.get<double>() < low || value.get<double>() > high) {
    refuse(key,
           "must be a number from " + shown(low) + " to " + shown(high) + ", not " + shown(value));
    return std::nullopt;
  }
  return value.get<double>();
}

std::string ObjectReader::text(std::string_view key, TextLimits limits) {
  const Json* value = require(key);
  return value == nullptr ? std::string() : read_text(key, *value, limits).value_or("");
}

std::optional<std::string> ObjectReader::optional_text(std::string_view key, TextLimits limits) {
  const Json* value = find(key);
  return value == nullptr ? std::nullopt : read_text(key, *value, limits);
}

std::int64_t ObjectReader::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const Json* value = require(key);
  return value == nullptr ? low : read_integer(key, *value, low, high).value_or(low);
}

std::optional<std::int64_t> ObjectReader::optional_integer(std::string_view key, std::int64_t low,
                                                           std::int64_t high) {
  const Json* value = find(key);
  return value == nullptr ? std::nullopt : read_integer(key, *value, low, high);
}

double ObjectReader::number(std::string_view key, double low, double high) {
  const Json* value = require(key);
  return value == nullptr ? low : read_number(key, *value, low, high).value_or(low);
}

std::optional<double> ObjectReader::optional_number(std::string_view key, double low, double high) {
  const Json* value = find(key);
  return value == nullptr ? std::nullopt : read_number(key, *value, low, high);
}

bool ObjectReader::truth(std::string_view key) {
  return require(key) != nullptr && optional_truth(key).value_or(false);
}

std::optional<bool> ObjectReader::optional_truth(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_boolean()) {
    refuse(key, "must be true or false, not " + shown(*value));
    return std::nullopt;
  }
  return value->get<bool>();
}

std::vector<std::string> ObjectReader::text_list(std::string_view key, std::size_t max_items,
                                                 TextLimits limits) {
  std::vector<std::string> list;
  const Json* value = find(key);
  if (value == nullptr) {
    return list;
  }
  if (!value->is_array() || value->size() > max_items) {
    refuse(key, "must be a list of at most " + std::to_string(max_items) + " texts");
    return list;
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Json& item = (*value)[i];
    if (!item.is_string() || item.get_ref<const std::string&>().size() < limits.min_size ||
        item.get_ref<const std::string&>().size() > limits.max_size ||
        item.get_ref<const std::string&>().find('\0') != std::string::npos) {
      problems_.add(child_pointer(child_pointer(pointer_, key), std::to_string(i)),
                    "must be a text of " + std::to_string(limits.min_size) + " to " +
                        std::to_string(limits.max_size) + " bytes, not " + shown(item));
      continue;
    }
    list.push_back(item.get<std::string>());
  }
  return list;
}

void ObjectReader::object(std::string_view key, const std::function<void(ObjectReader&)>& read) {
  if (require(key) != nullptr) {
    optional_object(key, read);
  }
}

void ObjectReader::optional_object(std::string_view key,
                                   const std::function<void(ObjectReader&)>& read) {
  const Json* value = find(key);
  if (value == nullptr) {
    return;
  }
  ObjectReader nested(*value, child_pointer(pointer_, key), problems_, unknown_);
  read(nested);
  nested.finish();
}

void ObjectReader::each(std::string_view key, std::size_t max_items,
                        const std::function<void(ObjectReader&)>& read) {
  const Json* value = find(key);
  if (value == nullptr) {
    return;
  }
  if (!value->is_array() || value->size() > max_items) {
    refuse(key, "must be a list of at most " + std::to_string(max_items) + " objects");
    return;
  }
  const std::string list_pointer = child_pointer(pointer_, key);
  for (std::size_t i = 0; i < value->size(); ++i) {
    ObjectReader nested((*value)[i], child_pointer(list_pointer, std::to_string(i)), problems_,
                        unknown_);
    read(nested);
    nested.finish();
  }
}

}  // namespace hone
