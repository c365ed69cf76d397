#include "server/store/event_store.h"

#include "common/protocol/values.h"
#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

// An event can lie behind a transaction that still runs and itself stores none: nobody is notified
// when that one ends. So waits look again at least this often.
constexpr std::chrono::milliseconds kLookAgain{500};

// Everything below the oldest running transaction was given or may be skipped; nothing else is.
const PgStatement kLatest{"event_latest",
                          "SELECT pg_snapshot_xmin(pg_current_snapshot()) AS transaction, "
                          "0 AS number",
                          Repeat::safe};

constexpr std::string_view kColumns = R"sql(
e.transaction, e.number, e.kind, j.id AS job, c.id AS campaign, e.state, j.stage, r.outcome,
r.verdict, r.reward, e.reason, rfc3339(e.at) AS at)sql";

bool names_nothing(const EventFilter& filter) {
  return (filter.campaign && !is_uuid(*filter.campaign)) || (filter.job && !is_uuid(*filter.job));
}

// Those columns of the events behind the cursor that the filter lets through; each filter has a
// name of its own behind `name`.
PgStatement behind(const StreamCursor& cursor, const EventFilter& filter, PgParams& params,
                   std::string name, std::string_view columns) {
  PgStatement statement{std::move(name), "SELECT " + std::string(columns), Repeat::safe};
  statement.sql += R"sql(
FROM events e
LEFT JOIN jobs j ON j.number = e.job
LEFT JOIN campaigns c ON c.number = e.campaign
LEFT JOIN results r ON r.job = e.job AND e.state = 'done'
WHERE (e.transaction, e.number) > ($1::text::xid8, $2::bigint))sql";
  params.unsigned_integer(cursor.transaction).integer(cursor.number);
  if (filter.campaign) {
    params.text(*filter.campaign);
    statement.name += "_campaign";
    statement.sql += " AND e.campaign = (SELECT number FROM campaigns WHERE id = $" +
                     std::to_string(params.size()) + "::uuid)";
  }
  if (filter.job) {
    params.text(*filter.job);
    statement.name += "_job";
    statement.sql += " AND e.job = (SELECT number FROM jobs WHERE id = $" +
                     std::to_string(params.size()) + "::uuid)";
  }
  if (filter.reader.targets) {
    params.text_array(filter.reader.targets);
    statement.name += "_seen";
    statement.sql +=
        " AND EXISTS (SELECT FROM targets t WHERE t.number = coalesce(j.target, c.target)"
        " AND t.name = ANY ($" +
        std::to_string(params.size()) + "::text[]))";
  }
  return statement;
}

Event read_event(const PgRow& row) {
  Event event;
  event.id = to_text(read_stream_cursor(row));
  event.kind = row.view("kind") == "job" ? EventKind::job : EventKind::campaign;
  event.job = row.text_or_empty("job");
  event.campaign = row.text_or_empty("campaign");
  event.state = row.text("state");
  event.stage = row.text_or_empty("stage");
  event.outcome = row.text_or_empty("outcome");
  event.verdict = row.text_or_empty("verdict");
  event.reward = row.optional_number("reward");
  event.reason = row.text("reason");
  event.at = row.text("at");
  return event;
}

}  // namespace

std::string_view to_string(EventKind kind) {
  return kind == EventKind::job ? "job" : "campaign";
}

Async<std::string> EventStore::latest() {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kLatest, PgParams()));
  co_return to_text(read_stream_cursor(found.first()));
}

Async<std::vector<Event>> EventStore::read(EventFilter filter, std::string after,
                                           std::int64_t limit) {
  HONE_CO_TRY(const StreamCursor cursor, parse_stream_cursor(after, "/after"));
  std::vector<Event> events;
  if (names_nothing(filter)) {
    co_return events;
  }
  PgParams params;
  PgStatement statement = behind(cursor, filter, params, "event_read", kColumns);
  params.integer(limit);
  statement.sql +=
      " AND e.transaction < pg_snapshot_xmin(pg_current_snapshot())"
      " ORDER BY e.transaction, e.number LIMIT $" +
      std::to_string(params.size());
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement, std::move(params)));
  for (int i = 0; i < found.size(); ++i) {
    events.push_back(read_event(found.row(i)));
  }
  co_return events;
}

Async<std::string> EventStore::skip_to(EventFilter filter, std::string after) {
  HONE_CO_TRY(const StreamCursor cursor, parse_stream_cursor(after, "/after"));
  if (!filter.reader.targets || filter.campaign || filter.job) {
    co_return after;
  }
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kLatest, PgParams()));
  const StreamCursor now = read_stream_cursor(found.first());
  co_return now.transaction > cursor.transaction ? to_text(now) : after;
}

Async<bool> EventStore::any_after(EventFilter filter, std::string after) {
  HONE_CO_TRY(const StreamCursor cursor, parse_stream_cursor(after, "/after"));
  if (names_nothing(filter)) {
    co_return false;
  }
  PgParams params;
  PgStatement statement = behind(cursor, filter, params, "event_any", "e.number");
  statement.sql += " LIMIT 1";
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement, std::move(params)));
  co_return !found.empty();
}

Async<std::vector<Event>> EventStore::wait(EventFilter filter, std::string after,
                                           std::int64_t limit, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const std::uint64_t mark = notifications_.mark(Channel::events);
    Result<std::vector<Event>> events = co_await read(filter, after, limit);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (!events || !events->empty() || left.count() <= 0) {
      co_return events;
    }
    const std::chrono::milliseconds pause = left < kLookAgain ? left : kLookAgain;
    co_await notifications_.wait(Channel::events, mark, pause);
  }
}

}  // namespace hone
