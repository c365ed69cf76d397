#include "server/http/request_context.h"

#include <atomic>
#include <cstdint>

#include <fmt/format.h>

#include "common/base/token.h"

namespace hone {
namespace {

constexpr std::size_t kMaxIdBytes = 128;

bool is_id_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("._~+/=:@-").find(c) != std::string_view::npos;
}

}  // namespace

bool is_request_id(std::string_view text) {
  if (text.empty() || text.size() > kMaxIdBytes) {
    return false;
  }
  for (const char c : text) {
    if (!is_id_character(c)) {
      return false;
    }
  }
  return without_secrets(text) == text;
}

std::string make_request_id() {
  static const std::string kProcess = random_hex(6);
  static std::atomic<std::uint64_t> count{0};
  return fmt::format("{}-{}", kProcess, ++count);
}

void identify(Request& request) {
  const std::string_view given = request.header("x-request-id");
  request.context.request = is_request_id(given) ? std::string(given) : make_request_id();
  if (const auto sender = parse_traceparent(request.header("traceparent"))) {
    request.trace = next_span(*sender);
    request.context.trace_id = request.trace->trace_id;
    request.context.span_id = request.trace->span_id;
  }
}

}  // namespace hone
