// /v1/views/canaries: what the dashboard shows of policies that are tried on real traffic.
#include "common/protocol/canary.h"
#include "server/api/access.h"
#include "server/api/cpu_pool.h"
#include "server/api/table_reply.h"
#include "server/canaries/judgement_series.h"

namespace hone {
namespace {

// A judgement costs some milliseconds; more of them than this no chart shows apart.
constexpr std::size_t kMostJudged = 60;
constexpr std::int64_t kMostWindows = 1'000'000;

Async<Reply> get_canaries(Api& api, Request& request) {
  RequestValues values(request);
  CanaryQuery query;
  query.target = values.name("target");
  query.state = values.one_of("state", parse_canary_state, kCanaryStateChoices);
  TableWish wish = table_wish(values, {"canaries", "services"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::string> found =
      co_await api.store.views().canaries(std::move(query), reader_of(request.caller));
  HONE_CO_TRY(std::string document, std::move(found));
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

// The rules' indicators as they stand, each with its hard limit; what was not judged yet has no
// numbers, where the judgement itself has zeros.
Json indicators_of(const CanaryView& canary) {
  Json list = Json::array();
  const Json judged =
      canary.judgement.is_object() ? canary.judgement.value("slis", Json::array()) : Json::array();
  for (std::size_t i = 0; i < canary.spec.rules.size(); ++i) {
    const SliRule& rule = canary.spec.rules[i];
    Json row = i < judged.size() ? judged[i] : Json{{"finding", "no_data"}, {"windows", 0}};
    row["sli"] = std::string(to_string(rule.sli));
    row["tolerance"] = rule.tolerance;
    row["floor"] = rule.floor;
    const bool none = row["finding"] == "no_data";
    if (none || row["finding"] == "insufficient_traffic") {
      row["reward"] = {{"value", nullptr}, {"low", nullptr}, {"high", nullptr}};
      row["detectable"] = nullptr;
    }
    if (none) {
      row["baseline"] = nullptr;
      row["canary"] = nullptr;
    }
    row["limit"] = nullptr;
    for (const HardLimit& limit : canary.service.limits) {
      if (limit.sli == rule.sli) {
        row["limit"] = limit.limit;
      }
    }
    list.push_back(std::move(row));
  }
  return list;
}

struct CanaryParts {
  CanaryView canary;
  std::vector<CanaryDecision> decisions;
  std::vector<CanaryWindow> windows;
  std::string joined;  // of ViewStore::canary()
  bool may_decide = false;
};

Result<std::string> canary_document(const CanaryParts& parts, std::size_t since) {
  HONE_TRY(Json document, parse_json(parts.joined));
  document["canary"] = to_json(parts.canary);
  document["may_decide"] = parts.may_decide;
  document["indicators"] = indicators_of(parts.canary);
  document["decisions"] = Json::array();
  for (const CanaryDecision& decision : parts.decisions) {
    document["decisions"].push_back(to_json(decision));
  }
  HONE_TRY(const WindowSeries series, parse_series(parts.windows));
  document["windows"] = windows_table(parts.windows, series, since);
  HONE_TRY(document["ratios"], ratios_table(parts.canary.spec.rules, series, since, kMostJudged));
  return dump_json(document);
}

Async<Reply> get_canary(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  const auto since = static_cast<std::size_t>(values.number("since", 0, kMostWindows).value_or(0));
  TableWish wish = table_wish(values, {"indicators", "decisions", "windows", "ratios"});
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  CanaryParts parts;
  HONE_CO_TRY(parts.canary, co_await api.store.canaries().find(id));
  HONE_CO_TRY(parts.decisions, co_await api.store.canaries().decisions(id));
  HONE_CO_TRY(parts.windows, co_await api.store.canaries().windows(id));
  HONE_CO_TRY(parts.joined, co_await api.store.views().canary(id));
  parts.may_decide =
      check_target(request.caller, parts.canary.spec.target, TargetRight::promote).has_value();
  const auto work = [&parts, since] { return canary_document(parts, since); };
  Result<std::string> made = co_await on_cpu_pool(work);
  HONE_CO_TRY(std::string document, std::move(made));
  Result<Reply> reply = co_await view_reply(std::move(document), std::move(wish));
  co_return reply;
}

}  // namespace

std::vector<Route> canary_view_routes(Api& api) {
  const Guard read{Subject::canary, "id", TargetRight::read};
  return {{.path = "/v1/views/canaries",
           .roles = kReaders,
           .query = {"target", "state", "format", "table"},
           .handler = bind(api, get_canaries)},
          {.path = "/v1/views/canaries/{id}",
           .roles = kReaders,
           .query = {"since", "format", "table"},
           .handler = bind(api, read, get_canary)}};
}

}  // namespace hone
