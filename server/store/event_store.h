// Changes of state of jobs and campaigns, in order, kept for some days. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/store/async.h"
#include "server/store/notifications.h"
#include "server/store/reader.h"

namespace hone {

enum class EventKind { job, campaign };
std::string_view to_string(EventKind kind);

struct Event {
  std::string id;  // cursor: pass it as `after` to go on behind this event
  EventKind kind = EventKind::job;
  std::string job;               // id, empty for an event of a campaign
  std::string campaign;          // id, empty for a job submitted by hand
  std::string state;             // the new one, as spelled on the wire
  std::string stage;             // of a job
  std::string outcome;           // of a job that is done, else empty
  std::string verdict;           // likewise
  std::optional<double> reward;  // likewise, when there is one
  std::string reason;
  std::string at;  // RFC 3339
};

struct EventFilter {
  std::optional<std::string> campaign = std::nullopt;  // id: its own events and those of its jobs
  std::optional<std::string> job = std::nullopt;       // id
  Reader reader{};
};

class EventStore {
 public:
  EventStore(PgPool& pool, Notifications& notifications)
      : pool_(pool), notifications_(notifications) {}

  // The cursor of now: events stored after this call lie behind it.
  Async<std::string> latest();
  // Events after the cursor ("" is the beginning), oldest first, at most `limit`; empty if none.
  // None is skipped, as experience_store.h says. invalid_argument for a text that is no cursor.
  Async<std::vector<Event>> read(EventFilter filter, std::string after, std::int64_t limit);
  // Where a stream behind `after` goes on if the read() that follows this call gives nothing: of a
  // stream of everything for who may not read every target, behind what was there of the others,
  // which would else be passed over again each time. Errors as of read().
  Async<std::string> skip_to(EventFilter filter, std::string after);
  // Whether events are stored behind the cursor, also those that read() does not give yet because
  // an older transaction still runs. Errors as of read().
  Async<bool> any_after(EventFilter filter, std::string after);
  // As read(), but waits up to `timeout` for the first one; empty when none came.
  Async<std::vector<Event>> wait(EventFilter filter, std::string after, std::int64_t limit,
                                 std::chrono::milliseconds timeout);

 private:
  PgPool& pool_;
  Notifications& notifications_;
};

}  // namespace hone
