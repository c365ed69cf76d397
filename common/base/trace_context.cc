#include "common/base/trace_context.h"

#include "common/base/token.h"

namespace hone {
namespace {

constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanDigits = 16;
constexpr std::size_t kSize = 2 + 1 + kTraceDigits + 1 + kSpanDigits + 1 + 2;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_id(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view header) {
  if (header.size() < kSize) {
    return std::nullopt;
  }
  const std::string_view version = header.substr(0, 2);
  const std::string_view trace = header.substr(3, kTraceDigits);
  const std::string_view span = header.substr(4 + kTraceDigits, kSpanDigits);
  const std::string_view flags = header.substr(5 + kTraceDigits + kSpanDigits, 2);
  const bool dashes = header[2] == '-' && header[3 + kTraceDigits] == '-' &&
                      header[4 + kTraceDigits + kSpanDigits] == '-';
  if (!dashes || !is_hex(version) || version == "ff" || !is_id(trace) || !is_id(span) ||
      !is_hex(flags)) {
    return std::nullopt;
  }
  // Later versions may add what we do not know behind another dash.
  const bool longer = header.size() > kSize;
  if (longer && (version == "00" || header[kSize] != '-')) {
    return std::nullopt;
  }
  const bool sampled = std::string_view("13579bdf").find(flags[1]) != std::string_view::npos;
  return TraceContext{std::string(trace), std::string(span), sampled};
}

std::string traceparent_of(const TraceContext& context) {
  return "00-" + context.trace_id + "-" + context.span_id + (context.sampled ? "-01" : "-00");
}

TraceContext next_span(const TraceContext& context) {
  TraceContext next = context;
  do {
    next.span_id = random_hex(kSpanDigits / 2);
  } while (!is_id(next.span_id));
  return next;
}

}  // namespace hone
