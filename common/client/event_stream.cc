#include "common/client/event_stream.h"

namespace hone {
namespace {
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20U;
}  // namespace

Result<bool> EventParser::feed(std::string_view piece,
                               const std::function<bool(const ServerEvent&)>& receive) {
  for (const char c : piece) {
    const bool second_half = c == '\n' && after_return_;
    after_return_ = c == '\r';
    if (second_half) {
      continue;
    }
    if (c != '\n' && c != '\r') {
      line_.push_back(c);
      if (line_.size() > kMaxLineBytes || pending_.data.size() > kMaxLineBytes) {
        return fail(ErrorCode::too_large, "an event is longer than 1 MiB");
      }
      continue;
    }
    if (!line_.empty()) {
      take_line(line_);
      line_.clear();
      continue;
    }
    // Only now does the id count: an event that was cut off is to be sent again.
    last_id_ = id_;
    const bool complete = has_data_;
    ServerEvent event = std::move(pending_);
    pending_ = ServerEvent{};
    has_data_ = false;
    if (!complete) {
      continue;
    }
    if (event.event.empty()) {
      event.event = "message";
    }
    event.id = last_id_;
    if (!receive(event)) {
      return false;
    }
  }
  return true;
}

void EventParser::reset() {
  line_.clear();
  id_ = last_id_;
  after_return_ = false;
  pending_ = ServerEvent{};
  has_data_ = false;
}

void EventParser::take_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  if (field == "data") {
    pending_.data += (has_data_ ? "\n" : "") + std::string(value);
    has_data_ = true;
  } else if (field == "event") {
    pending_.event = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    id_ = value;
  }
}

}  // namespace hone
