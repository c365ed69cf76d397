// The text of server-sent events (WHATWG HTML, "Interpreting an event stream") taken apart.
//
// Fed with pieces cut anywhere. Fields id, event and data; comments and other fields are passed
// over. Not thread safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/client/client.h"

namespace hone {

class EventParser {
 public:
  // Calls `receive` for every event that `piece` completes; false from it ends the reading, and so
  // does false from here. Lines past 1 MiB are an error: too_large.
  Result<bool> feed(std::string_view piece, const std::function<bool(const ServerEvent&)>& receive);

  // The id of the last event that had one: where to take the stream up again.
  const std::string& last_id() const { return last_id_; }
  // Forgets a half-received event, after the connection was lost.
  void reset();

 private:
  void take_line(std::string_view line);

  std::string line_;
  bool after_return_ = false;  // a '\n' right after '\r' ends no further line
  std::string id_;             // as the lines so far say
  std::string last_id_;        // of the last event that was complete
  ServerEvent pending_;
  bool has_data_ = false;
};

}  // namespace hone
