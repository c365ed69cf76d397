// /v1/views: what the dashboard shows, one request a view.
#include <memory>

#include "common/base/log.h"
#include "common/base/sha256.h"
#include "common/base/text.h"
#include "common/pipelines/action_space.h"
#include "common/protocol/job.h"
#include "common/sessions/observation_space.h"
#include "common/sessions/reward_space.h"
#include "server/api/access.h"
#include "server/api/caller_watch.h"
#include "server/api/table_reply.h"
#include "server/sessions/sessions.h"

namespace hone {
namespace {

constexpr std::int64_t kLastMillisecond = 253'402'300'799'000;  // in the year 9999
constexpr int kSessionMajor = 19;                               // whose passes hone-session runs

std::optional<std::int64_t> moment(RequestValues& values, const char* name) {
  return values.number(name, 0, kLastMillisecond);
}

Async<Reply> get_overview(Api& api, Request& request) {
  RequestValues values(request);
  TableWish wish = table_wish(values, {"targets", "trend", "campaigns", "fleet", "attention"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::string> found = co_await api.store.views().overview(reader_of(request.caller));
  HONE_CO_TRY(std::string document, std::move(found));
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

Async<Reply> get_campaign(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  const std::optional<std::int64_t> since = moment(values, "since");
  TableWish wish = table_wish(values, {"candidates", "sets"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::string> found = co_await api.store.views().campaign(std::move(id), since);
  HONE_CO_TRY(std::string document, std::move(found));
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

Async<Reply> compare(Api& api, std::string job, TableWish wish) {
  Result<JobView> found = co_await api.store.jobs(Lane::reading).find(job, SampleDetail::leave_out);
  HONE_CO_TRY(const JobView view, std::move(found));
  Result<std::string> compared =
      co_await api.store.views().comparison(std::move(job), dump_json(to_json(view)));
  HONE_CO_TRY(std::string document, std::move(compared));
  if (wish.table == "decisions" || wish.table == "binaries") {
    wish.table = "job.result." + wish.table;
  }
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

TableWish comparison_wish(RequestValues& values) {
  return table_wish(values, {"pairs", "decisions", "binaries", "jobs"});
}

Async<Reply> get_job(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  TableWish wish = comparison_wish(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Reply> reply = co_await compare(api, std::move(id), std::move(wish));
  co_return reply;
}

Async<Reply> get_candidate(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  const std::optional<Stage> stage = values.one_of("stage", parse_stage, kStageChoices);
  TableWish wish = comparison_wish(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::string> found = co_await api.store.views().job_of_candidate(std::move(id), stage);
  HONE_CO_TRY(std::string job, std::move(found));
  Result<Reply> reply = co_await compare(api, std::move(job), std::move(wish));
  co_return reply;
}

HistoryQuery history_range(RequestValues& values) {
  HistoryQuery query;
  query.target = values.path_name("name");
  query.from = moment(values, "from");
  query.to = moment(values, "to");
  if (query.from && query.to && *query.from > *query.to) {
    values.refuse("to", "must not lie before \"from\"");
  }
  return query;
}

Async<Reply> get_history(Api& api, Request& request) {
  RequestValues values(request);
  HistoryQuery query = history_range(values);
  query.points =
      values.number("points", kMinHistoryPoints, kMaxHistoryPoints).value_or(query.points);
  query.metric = values.one_of("metric", parse_metric, kMetricChoices);
  query.baseline = values.one_of("baseline", parse_baseline_kind, kBaselineKindChoices);
  query.worker = values.name("worker");
  query.stage = values.one_of("stage", parse_stage, kStageChoices);
  TableWish wish = table_wish(values, {"points", "changes", "versions", "campaigns", "series"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  if (wish.format == TableFormat::csv) {
    query.points = kAllHistoryPoints;  // what is kept should be whole
    query.detail = HistoryDetail::all;
  }
  Result<std::string> found = co_await api.store.views().history(std::move(query));
  HONE_CO_TRY(std::string document, std::move(found));
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

// Page after page: a target may have millions of samples.
class SampleStream {
 public:
  SampleStream(LineStreams::Place place, Store& store, Request& request, HistoryQuery range)
      : place_(std::move(place)),
        context_(request.context),
        watch_(store, request.caller),
        views_(store.views()),
        range_(std::move(range)) {}

  Async<void> begin() {
    Result<SamplePage> found = co_await views_.samples(range_, 0);
    HONE_CO_TRY(page_, std::move(found));
    co_return Result<void>();
  }

  // As Reply::pieces.
  boost::asio::awaitable<bool> run(PieceWriter& writer) {
    const bool begun = co_await writer.piece(std::move(page_.header));
    if (!begun) {
      co_return false;
    }
    while (!page_.lines.empty()) {
      const bool written = co_await writer.piece(std::move(page_.lines));
      if (!written) {
        co_return false;
      }
      Result<SamplePage> next = co_await read_next();
      if (!next) {
        log_warning(context_, "stream_cut",
                    {{"target", range_.target}, {"reason", next.error().describe()}});
        co_return false;
      }
      page_ = *std::move(next);
    }
    co_return true;
  }

 private:
  Async<SamplePage> read_next() {
    const Result<void> same = co_await watch_.check();
    HONE_CO_CHECK(same);
    Result<SamplePage> next = co_await views_.samples(range_, page_.next_attempt);
    co_return next;
  }

  LineStreams::Place place_;
  LogContext context_;
  CallerWatch watch_;
  ViewStore& views_;
  HistoryQuery range_;
  SamplePage page_;
};

Async<Reply> get_samples(Api& api, Request& request) {
  RequestValues values(request);
  HistoryQuery range = history_range(values);
  if (values.text("format").value_or("csv") != "csv") {
    values.refuse("format", "must be csv: samples have no other form");
  }
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_TRY(LineStreams::Place place, api.streams.take(request.caller.token_id));
  const auto stream =
      std::make_shared<SampleStream>(std::move(place), api.store, request, std::move(range));
  Async<void> beginning = stream->begin();
  const Result<void> begun = co_await std::move(beginning);
  HONE_CO_CHECK(begun);
  Reply reply = csv_reply({}, "samples");
  reply.pieces = [stream](PieceWriter& writer) { return stream->run(writer); };
  co_return reply;
}

Async<Reply> get_fleet(Api& api, Request& request) {
  RequestValues values(request);
  TableWish wish = table_wish(values, {"workers", "checks"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::string> found = co_await api.store.views().fleet(reader_of(request.caller));
  HONE_CO_TRY(std::string document, std::move(found));
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

Async<Reply> get_policies(Api& api, Request& request) {
  RequestValues values(request);
  TableWish wish = table_wish(values, {"policies"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::string> found = co_await api.store.views().policies(reader_of(request.caller));
  HONE_CO_TRY(std::string document, std::move(found));
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

Async<Reply> get_policy(Api& api, Request& request) {
  RequestValues values(request);
  std::string target = values.path_name("target");
  const std::optional<std::int64_t> from = values.number("from", 1, 1'000'000'000);
  const std::optional<std::int64_t> to = values.number("to", 1, 1'000'000'000);
  for (const auto& [name, other] : {std::pair("from", "to"), std::pair("to", "from")}) {
    if (request.query_value(other) && !request.query_value(name)) {
      values.refuse(name, "is missing: a difference is between two versions");
    }
  }
  TableWish wish = table_wish(values, {"versions", "diff"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  if (wish.table == "diff") {
    wish.table = "diff.changed";
  }
  Result<std::string> found = co_await api.store.views().policy(std::move(target), from, to);
  HONE_CO_TRY(std::string document, std::move(found));
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

Json actions_json(const std::vector<Action>& actions) {
  Json list = Json::array();
  for (const Action& action : actions) {
    list.push_back(
        {{"name", action.name}, {"pipeline", action.pipeline}, {"level", to_string(action.level)}});
  }
  return list;
}

Json names_of(std::string_view choices) {
  Json names = Json::array();
  for (const std::string_view name : split(choices, ',')) {
    names.push_back(std::string(trim(name)));
  }
  return names;
}

// What can be done and seen in a session: the same for all of this program's life.
Result<std::string> session_spaces() {
  HONE_TRY(const ActionSpace space, ActionSpace::create(kSessionMajor));
  const Json spaces{{"actions", actions_json(space.actions())},
                    {"whole_pipelines", actions_json(space.whole_pipelines())},
                    {"observations", names_of(kSessionObservationChoices)},
                    {"rewards", names_of(kSessionRewardChoices)}};
  return dump_json(spaces);
}

Async<Reply> get_explorer(Api& api, Request& request) {
  RequestValues values(request);
  const std::optional<std::string> program = values.text("program", 64);
  if (program && !is_sha256_hex(*program)) {
    values.refuse("program", "must be a SHA-256: 64 hexadecimal digits, lower case");
  }
  TableWish wish = table_wish(values, {"programs", "actions", "transitions", "states"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  static const Result<std::string> kSpaces = session_spaces();
  HONE_CO_CHECK(kSpaces);
  Result<std::string> found =
      co_await api.store.views().explorer(program, reader_of(request.caller));
  HONE_CO_TRY(std::string members, std::move(found));
  std::string document = dump_json(Json{
      {"available", api.sessions != nullptr},
      {"compiler", api.sessions != nullptr ? Json(api.sessions->log.place().compiler) : Json()}});
  document.pop_back();
  document += "," + kSpaces->substr(1, kSpaces->size() - 2) + "," + members + "}";
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

Route view_route(const std::string& path, std::vector<std::string> query, Handler handler) {
  query.emplace_back("format");
  query.emplace_back("table");
  return {.path = "/v1/views/" + path,
          .roles = kReaders,
          .query = std::move(query),
          .handler = std::move(handler)};
}

}  // namespace

std::vector<Route> view_routes(Api& api) {
  const Guard campaign{Subject::campaign, "id", TargetRight::read};
  const Guard job{Subject::job, "id", TargetRight::read};
  const Guard candidate{Subject::candidate, "id", TargetRight::read};
  const Guard target{Subject::target, "name", TargetRight::read};
  const Guard policy{Subject::target, "target", TargetRight::read};
  return {view_route("overview", {}, bind(api, get_overview)),
          view_route("campaigns/{id}", {"since"}, bind(api, campaign, get_campaign)),
          view_route("jobs/{id}", {}, bind(api, job, get_job)),
          view_route("candidates/{id}", {"stage"}, bind(api, candidate, get_candidate)),
          view_route("targets/{name}/history",
                     {"from", "to", "points", "metric", "baseline", "worker", "stage"},
                     bind(api, target, get_history)),
          {.path = "/v1/views/targets/{name}/samples",
           .roles = kReaders,
           .query = {"from", "to", "format"},
           .handler = bind(api, target, get_samples)},
          view_route("fleet", {}, bind(api, get_fleet)),
          view_route("policies", {}, bind(api, get_policies)),
          view_route("policies/{target}", {"from", "to"}, bind(api, policy, get_policy)),
          view_route("explorer", {"program"}, bind(api, get_explorer))};
}

}  // namespace hone
