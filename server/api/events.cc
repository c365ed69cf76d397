// /v1/events and /v1/jobs/{id}/events: changes of state as server-sent events.
//
// A stream of one job or one campaign starts with its first event and is complete when that job or
// campaign is at its end and all that led there was given; the stream of everything starts now and
// goes on. A client that was cut off comes back with Last-Event-ID and misses nothing.
#include <algorithm>
#include <chrono>

#include "server/api/access.h"
#include "server/api/caller_watch.h"
#include "server/api/replies.h"
#include "server/api/request_values.h"

namespace hone {
namespace {

constexpr std::int64_t kBatch = 200;

// An event can lie behind a transaction that still runs, of whichever honed, and nobody is notified
// when that one ends. So who was woken and found nothing looks again, so often.
constexpr std::chrono::milliseconds kLookAgain{250};
constexpr int kLooksAgain = 8;

std::string event_data(const Event& event) {
  return dump_json(Json{{"kind", to_string(event.kind)},
                        {"job", null_if_blank(event.job)},
                        {"campaign", null_if_blank(event.campaign)},
                        {"state", event.state},
                        {"stage", null_if_blank(event.stage)},
                        {"outcome", null_if_blank(event.outcome)},
                        {"verdict", null_if_blank(event.verdict)},
                        {"reward", event.reward ? Json(*event.reward) : Json()},
                        {"reason", null_if_blank(event.reason)},
                        {"at", event.at}});
}

bool is_end(JobState state) {
  return state == JobState::done || state == JobState::dead || state == JobState::cancelled;
}
bool is_end(CampaignState state) {
  return state == CampaignState::finished || state == CampaignState::cancelled ||
         state == CampaignState::failed;
}

// Whether the one job or campaign that the stream is about is at its end; false for a stream of
// everything. not_found if there is no such thing.
Async<bool> subject_ended(Store& store, const EventFilter& filter) {
  if (filter.job) {
    Result<JobView> found = co_await store.jobs().find(*filter.job, SampleDetail::leave_out);
    HONE_CO_TRY(const JobView job, std::move(found));
    co_return is_end(job.state);
  }
  if (filter.campaign) {
    Result<CampaignView> found = co_await store.campaigns().find(*filter.campaign);
    HONE_CO_TRY(const CampaignView campaign, std::move(found));
    co_return is_end(campaign.state);
  }
  co_return false;
}

// Whether this event is the last that the stream's one job or campaign can have.
bool is_last(const EventFilter& filter, const Event& event) {
  if (filter.job) {
    const std::optional<JobState> state = parse_job_state(event.state);
    return event.kind == EventKind::job && event.job == *filter.job && state && is_end(*state);
  }
  if (filter.campaign) {
    const std::optional<CampaignState> state = parse_campaign_state(event.state);
    return event.kind == EventKind::campaign && event.campaign == *filter.campaign && state &&
           is_end(*state);
  }
  return false;
}

// How a stream stands that gave all it could read, and whose subject was at its end.
enum class Standing {
  open,      // it was taken up again since: more will come
  hidden,    // an event of what it went through is stored, and not given yet
  complete,  // all of it was given
};

// The subject is asked before its events are: what led to its end is stored by then, behind an
// older transaction that still runs or not.
Async<Standing> standing(Store& store, const EventFilter& filter, const std::string& cursor) {
  const Result<bool> ended = co_await subject_ended(store, filter);
  HONE_CO_CHECK(ended);
  if (!*ended) {
    co_return Standing::open;
  }
  const Result<bool> more = co_await store.events().any_after(filter, cursor);
  HONE_CO_CHECK(more);
  co_return *more ? Standing::hidden : Standing::complete;
}

// One stream. `ended` says whether its subject was at its end before the first event is read. Gives
// true when the stream is complete, false when it is cut.
boost::asio::awaitable<bool> stream_events(Api& api, Peer& peer, Caller caller, EventFilter filter,
                                           std::string cursor, bool ended, EventWriter& writer) {
  CallerWatch watch(api.store, std::move(caller));
  using SteadyClock = std::chrono::steady_clock;
  int looks = 0;  // that are left after the last notification
  // A stream of one quiet job must not fall silent because others are busy.
  SteadyClock::time_point last_word = SteadyClock::now();
  const Counted counted(api.event_streams);
  while (!peer.gone()) {
    // What the token may do may have changed meanwhile: whoever still may something comes back.
    const Result<CallerChange> change = co_await watch.look();
    if (!change || *change != CallerChange::none) {
      co_return false;
    }
    // The mark is taken before the events are read: what comes in between wakes the wait at once.
    const std::uint64_t mark = api.store.notifications().mark(Channel::events);
    const Result<std::string> behind = co_await api.store.events().skip_to(filter, cursor);
    if (!behind) {
      co_return false;
    }
    const Result<std::vector<Event>> events =
        co_await api.store.events().read(filter, cursor, kBatch);
    if (!events.has_value()) {
      co_return false;
    }
    for (const Event& event : *events) {
      const bool written =
          co_await writer.event(event.id, std::string(to_string(event.kind)), event_data(event));
      if (!written) {
        co_return false;
      }
      cursor = event.id;
      ended = ended || is_last(filter, event);
    }
    if (!events->empty()) {
      last_word = SteadyClock::now();
      continue;
    }
    cursor = *behind;
    if (ended) {
      const Result<Standing> now = co_await standing(api.store, filter, cursor);
      if (!now || *now == Standing::complete) {
        co_return now.has_value();
      }
      ended = *now == Standing::hidden;
      looks = ended ? std::max(looks, 1) : looks;
    }
    const auto until_heartbeat = std::chrono::ceil<std::chrono::milliseconds>(
        last_word + api.options.event_heartbeat - SteadyClock::now());
    if (until_heartbeat.count() <= 0) {
      const bool alive = co_await writer.heartbeat();
      if (!alive) {
        co_return false;
      }
      last_word = SteadyClock::now();
      continue;
    }
    const std::chrono::milliseconds pause =
        looks > 0 ? std::min(kLookAgain, until_heartbeat) : until_heartbeat;
    boost::asio::awaitable<bool> waiting =
        api.store.notifications().wait(Channel::events, mark, pause);
    const bool changed = co_await wait_unless_gone(peer, std::move(waiting));
    looks = changed ? kLooksAgain : std::max(looks - 1, 0);
  }
  co_return false;
}

Async<Reply> open_stream(Api& api, Request& request, EventFilter filter, std::string cursor) {
  if (filter.job) {
    const Result<void> allowed =
        co_await check_access(api, request.caller, Subject::job, *filter.job, TargetRight::read);
    HONE_CO_CHECK(allowed);
  }
  if (filter.campaign) {
    const Result<void> allowed = co_await check_access(api, request.caller, Subject::campaign,
                                                       *filter.campaign, TargetRight::read);
    HONE_CO_CHECK(allowed);
  }
  filter.reader = reader_of(request.caller);
  const Result<bool> ended = co_await subject_ended(api.store, filter);
  HONE_CO_CHECK(ended);
  if (cursor.empty() && !filter.job && !filter.campaign) {
    Result<std::string> latest = co_await api.store.events().latest();
    HONE_CO_TRY(cursor, std::move(latest));
  }
  // A bad cursor is told now, while there is a status to tell it by.
  const Result<std::vector<Event>> first = co_await api.store.events().read(filter, cursor, 1);
  HONE_CO_CHECK(first);
  Reply reply;
  reply.content_type = "text/event-stream";
  Peer* peer = request.peer;
  reply.events = [&api, peer, caller = request.caller, filter = std::move(filter),
                  cursor = std::move(cursor), at_end = *ended](EventWriter& writer) {
    return stream_events(api, *peer, caller, filter, cursor, at_end, writer);
  };
  co_return reply;
}

// Where to go on: a reconnecting client's header beats the query it was first opened with.
std::string start_of(const Request& request, RequestValues& values) {
  const std::string after = values.text("after", 512).value_or("");
  const std::string_view last = request.header("last-event-id");
  return last.empty() ? after : std::string(last.substr(0, 512));
}

Async<Reply> get_events(Api& api, Request& request) {
  RequestValues values(request);
  EventFilter filter;
  filter.campaign = values.uuid("campaign");
  filter.job = values.uuid("job");
  std::string cursor = start_of(request, values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Reply> reply = co_await open_stream(api, request, std::move(filter), std::move(cursor));
  co_return reply;
}

Async<Reply> get_job_events(Api& api, Request& request) {
  RequestValues values(request);
  EventFilter filter;
  filter.job = values.path_uuid("id");
  std::string cursor = start_of(request, values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Reply> reply = co_await open_stream(api, request, std::move(filter), std::move(cursor));
  co_return reply;
}

}  // namespace

std::vector<Route> event_routes(Api& api) {
  return {{.path = "/v1/events",
           .roles = kReaders,
           .query = {"campaign", "job", "after"},
           .handler = bind(api, get_events)},
          {.path = "/v1/jobs/{id}/events",
           .roles = kReaders,
           .query = {"after"},
           .handler = bind(api, get_job_events)}};
}

}  // namespace hone
