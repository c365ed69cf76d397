// JSON bodies of requests. For the handlers.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/json/object_reader.h"
#include "server/api/cpu_pool.h"
#include "server/http/message.h"
#include "server/store/async.h"

namespace hone {

// Bodies past this are parsed on the pool: below, a parse takes less than a hand-over costs others.
inline constexpr std::size_t kParseHere = std::size_t{64} << 10U;

// The body as JSON; invalid_argument naming the whole document ("") when it is none.
Result<Json> parse_body_text(const std::string& body);

template <class T>
struct ParsedBody {
  T value{};
  std::string sha256;  // of the body's bytes
};

// What `parse` makes of the body's document.
template <class T, class Parse>
Async<ParsedBody<T>> parse_body(const Request& request, Parse parse) {
  const std::string& body = request.body;
  auto work = [&body, parse]() -> Result<ParsedBody<T>> {
    HONE_TRY(const Json document, parse_body_text(body));
    Result<T> value = parse(document);
    if (!value.has_value()) {
      return std::move(value).error();
    }
    return ParsedBody<T>{*std::move(value), sha256_hex(body)};
  };
  if (body.size() <= kParseHere) {
    co_return work();
  }
  Result<ParsedBody<T>> parsed = co_await on_cpu_pool(work);
  co_return parsed;
}

// For requests whose body says nothing: absent, or {} ; unknown keys are refused.
Result<void> check_empty_body(const Request& request);

}  // namespace hone
