#include "server/api/request_body.h"

#include <nlohmann/json.hpp>

namespace hone {

boost::asio::thread_pool& cpu_pool() {
  static boost::asio::thread_pool pool(1);
  return pool;
}

Result<Json> parse_body_text(const std::string& body) {
  Result<Json> document = parse_json(body, {.bytes = body.size()});
  if (!document.has_value()) {
    return Error{
        document.error().code, "the body is no valid JSON", {{"", document.error().message}}};
  }
  return document;
}

Result<void> check_empty_body(const Request& request) {
  if (request.body.empty()) {
    return {};
  }
  HONE_TRY(const Json document, parse_body_text(request.body));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  reader.finish();
  if (auto error = problems.as_error("body")) {
    return *std::move(error);
  }
  return {};
}

}  // namespace hone
