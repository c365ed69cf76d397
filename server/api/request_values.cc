#include "server/api/request_values.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "common/base/sha256.h"
#include "common/protocol/names.h"

namespace hone {
namespace {

constexpr std::size_t kMaxCursorBytes = 512;
constexpr std::size_t kMaxKeyBytes = 255;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

bool is_canonical_uuid(std::string_view text) {
  if (text.size() != 36) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool hexadecimal = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (dash ? c != '-' : !hexadecimal) {
      return false;
    }
  }
  return true;
}

void RequestValues::refuse(std::string_view name, std::string detail) {
  problems_.add("/" + std::string(name), std::move(detail));
}

std::string RequestValues::path_uuid(std::string_view name) {
  std::string value = request_.path_value(name);
  if (!is_canonical_uuid(value)) {
    refuse(name, "must be an id: a UUID in lower case");
  }
  return value;
}

std::string RequestValues::path_name(std::string_view name) {
  std::string value = request_.path_value(name);
  if (!is_valid_name(value)) {
    refuse(name, "must be a name: a-z or 0-9, then at most 62 of a-z 0-9 . _ -");
  }
  return value;
}

std::string RequestValues::path_sha256(std::string_view name) {
  std::string value = request_.path_value(name);
  if (!is_sha256_hex(value)) {
    refuse(name, "must be a SHA-256: 64 lower-case hexadecimal digits");
  }
  return value;
}

std::int64_t RequestValues::path_version(std::string_view name) {
  const auto value = whole_number(request_.path_value(name));
  if (!value || *value < 1 || *value > kMaxVersion) {
    refuse(name, "must be a whole number from 1 to " + std::to_string(kMaxVersion));
  }
  return value.value_or(1);
}

std::optional<std::string> RequestValues::text(std::string_view name, std::size_t max_size) {
  std::optional<std::string> value = request_.query_value(name);
  if (value && value->size() > max_size) {
    refuse(name, "must have at most " + std::to_string(max_size) + " bytes");
  }
  return value;
}

std::optional<std::string> RequestValues::uuid(std::string_view name) {
  std::optional<std::string> value = request_.query_value(name);
  if (value && !is_canonical_uuid(*value)) {
    refuse(name, "must be an id: a UUID in lower case");
  }
  return value;
}

std::optional<std::string> RequestValues::name(std::string_view name) {
  std::optional<std::string> value = request_.query_value(name);
  if (value && !is_valid_name(*value)) {
    refuse(name, "must be a name: a-z or 0-9, then at most 62 of a-z 0-9 . _ -");
  }
  return value;
}

std::optional<std::int64_t> RequestValues::number(std::string_view name, std::int64_t low,
                                                  std::int64_t high) {
  const std::optional<std::string> text = request_.query_value(name);
  if (!text) {
    return std::nullopt;
  }
  const auto value = whole_number(*text);
  if (!value || *value < low || *value > high) {
    refuse(name, "must be a whole number from " + std::to_string(low) + " to " +
                     std::to_string(high) + ", not \"" + *text + "\"");
    return std::nullopt;
  }
  return value;
}

bool RequestValues::flag(std::string_view name) {
  const std::string text = request_.query_value(name).value_or("0");
  if (text != "0" && text != "1") {
    refuse(name, "must be 0 or 1, not \"" + text + "\"");
  }
  return text == "1";
}

PageRequest RequestValues::page(std::string_view cursor_name) {
  PageRequest page;
  page.cursor = text(cursor_name, kMaxCursorBytes).value_or("");
  page.limit = number("limit", 1, kMaxPageSize).value_or(page.limit);
  return page;
}

Result<std::optional<IdempotencyKey>> idempotency_key(const Request& request,
                                                      std::string body_sha256, KeyNeed need) {
  const std::string_view key = request.header("idempotency-key");
  if (key.empty() && need == KeyNeed::optional) {
    return std::optional<IdempotencyKey>();
  }
  const bool printable = std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7f; });
  if (key.empty() || key.size() > kMaxKeyBytes || !printable) {
    return Error{ErrorCode::invalid_argument,
                 "bad Idempotency-Key header",
                 {{"/Idempotency-Key",
                   key.empty() ? "is missing: any text of your own, the same when you repeat the "
                                 "request"
                               : "must have 1 to 255 printable characters without spaces"}}};
  }
  return std::optional(IdempotencyKey{std::string(key), std::move(body_sha256)});
}

}  // namespace hone
