// W3C Trace Context, level 1 (https://www.w3.org/TR/trace-context/): which distributed trace a
// piece of work belongs to. Plain values; thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hone {

struct TraceContext {
  std::string trace_id;  // 32 hexadecimal digits, lower case, not all zero
  std::string span_id;   // 16 likewise: of whoever sent it
  bool sampled = false;
};

// What a traceparent header says, read strictly; nothing for one that is malformed, which is then
// as good as none. Of a later version than ours, the part that we know.
std::optional<TraceContext> parse_traceparent(std::string_view header);

// "00-TRACE-SPAN-01".
std::string traceparent_of(const TraceContext& context);

// The same trace with a fresh span: what we do for whoever sent `context`.
TraceContext next_span(const TraceContext& context);

}  // namespace hone
