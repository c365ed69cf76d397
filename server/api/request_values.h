// Values of a request's path and query, checked; all problems at once. For the handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/json/object_reader.h"
#include "common/protocol/fields.h"  // kMaxVersion
#include "server/http/message.h"
#include "server/store/idempotency.h"
#include "server/store/page.h"

namespace hone {

// Whether text is a UUID in its usual form, lower case.
bool is_canonical_uuid(std::string_view text);

// Reads path and query. A getter notes what is wrong, by "/<parameter>", and gives a default; ask
// error() before anything read is used.
class RequestValues {
 public:
  explicit RequestValues(const Request& request) : request_(request) {}

  std::string path_uuid(std::string_view name);
  std::string path_name(std::string_view name);  // as is_valid_name says
  std::string path_sha256(std::string_view name);
  std::int64_t path_version(std::string_view name);  // 1 to kMaxVersion

  std::optional<std::string> text(std::string_view name, std::size_t max_size = 256);
  std::optional<std::string> uuid(std::string_view name);
  std::optional<std::string> name(std::string_view name);
  std::optional<std::int64_t> number(std::string_view name, std::int64_t low, std::int64_t high);
  bool flag(std::string_view name);  // 1 or 0; absent is false
  template <class Enum>
  std::optional<Enum> one_of(std::string_view name, std::optional<Enum> (*parse)(std::string_view),
                             std::string_view choices) {
    const std::optional<std::string> spelling = request_.query_value(name);
    if (!spelling) {
      return std::nullopt;
    }
    const std::optional<Enum> value = parse(*spelling);
    if (!value) {
      refuse(name, "\"" + *spelling + "\" is not one of " + std::string(choices));
    }
    return value;
  }
  // ?cursor= and ?limit=; the cursor may have another name.
  PageRequest page(std::string_view cursor_name = "cursor");

  void refuse(std::string_view name, std::string detail);

  // The first problem's Error, holding all of them, or nothing.
  std::optional<Error> error() const { return problems_.as_error("request parameters"); }

 private:
  const Request& request_;
  Problems problems_;
};

enum class KeyNeed { optional, required };

// The Idempotency-Key header with the body's hash; nothing if it is absent and optional.
// invalid_argument if it is missing, longer than 255 bytes or not printable.
Result<std::optional<IdempotencyKey>> idempotency_key(const Request& request,
                                                      std::string body_sha256, KeyNeed need);

}  // namespace hone
