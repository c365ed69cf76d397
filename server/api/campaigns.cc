// /v1/campaigns: budgeted searches, their candidate sets and candidates.
#include "common/base/log.h"
#include "common/json/pointer.h"
#include "common/policy/allow_list.h"
#include "common/protocol/campaign.h"
#include "common/protocol/candidate.h"
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/api/rule_check.h"
#include "server/api/table_reply.h"

namespace hone {
namespace {

Json to_json(const std::optional<CandidateJob>& job) {
  if (!job) {
    return {};
  }
  return Json{{"id", job->id},
              {"state", to_string(job->state)},
              {"outcome", job->outcome ? Json(to_string(*job->outcome)) : Json()},
              {"reason", null_if_blank(job->reason)},
              {"verdict", job->verdict ? Json(to_string(*job->verdict)) : Json()},
              {"reward", job->reward ? to_json(*job->reward) : Json()}};
}

Json to_json(const CandidateView& view) {
  Json item = to_json(view.candidate);
  item["set"] = view.set;
  item["job"] = to_json(view.race);
  item["confirm"] = to_json(view.confirm);
  item["finalist"] = view.finalist ? Json(*view.finalist) : Json();
  return item;
}

Async<Reply> create_campaign(Api& api, Request& request) {
  Result<ParsedBody<CampaignRequest>> parsed =
      co_await parse_body<CampaignRequest>(request, parse_campaign_request);
  HONE_CO_TRY(ParsedBody<CampaignRequest> body, std::move(parsed));
  HONE_CO_TRY(std::optional<IdempotencyKey> key,
              idempotency_key(request, std::move(body.sha256), KeyNeed::optional));
  Result<void> allowed = check_target(request.caller, body.value.target, TargetRight::submit);
  if (!allowed && allowed.error().code == ErrorCode::not_found) {
    // As of one that is not there.
    co_return Error{ErrorCode::invalid_argument,
                    "bad campaign",
                    {{"/target", "no target '" + body.value.target + "' is registered"}}};
  }
  HONE_CO_CHECK(std::move(allowed));
  AuditedStore store(api.store, audit_entry(request, "campaign", "create"));
  Result<CreatedCampaign> created = co_await store.campaigns().create(
      std::move(body.value), std::move(key), request.caller.token_id,
      request.trace ? traceparent_of(*request.trace) : std::string());
  HONE_CO_TRY(const CreatedCampaign campaign, std::move(created));
  log_info(request.context, "campaign_created",
           {{"campaign", campaign.view.id}, {"replayed", campaign.replayed}});
  Reply reply = json_reply(to_json(campaign.view), campaign.replayed ? 200 : 201);
  reply.headers.emplace_back("Location", "/v1/campaigns/" + campaign.view.id);
  co_return reply;
}

Async<Reply> get_campaign(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<CampaignView> found = co_await api.store.campaigns().find(std::move(id));
  HONE_CO_TRY(const CampaignView view, std::move(found));
  co_return json_reply(to_json(view));
}

Async<Reply> list_campaigns(Api& api, Request& request) {
  RequestValues values(request);
  CampaignFilter filter;
  filter.target = values.name("target");
  filter.state = values.one_of("state", parse_campaign_state, kCampaignStateChoices);
  filter.reader = reader_of(request.caller);
  PageRequest page = values.page();
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Page<CampaignView>> found =
      co_await api.store.campaigns().list(std::move(filter), std::move(page));
  HONE_CO_TRY(const Page<CampaignView> views, std::move(found));
  const auto to_item = [](const CampaignView& view) { return to_json(view); };
  co_return page_reply(views, to_item, format, "campaigns");
}

// A set whose rules the launcher would take.
Result<CandidateSet> parse_allowed_set(const Json& document) {
  HONE_TRY(CandidateSet set, parse_candidate_set(document, UnknownKeys::refuse));
  Problems problems;
  for (std::size_t i = 0; i < set.candidates.size(); ++i) {
    check_rules(set.candidates[i].rules, "/candidates/" + std::to_string(i) + "/rules", problems);
  }
  if (auto error = problems.as_error("candidate set")) {
    return *std::move(error);
  }
  return set;
}

Async<Reply> add_candidate_set(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ParsedBody<CandidateSet>> parsed =
      co_await parse_body<CandidateSet>(request, parse_allowed_set);
  HONE_CO_TRY(ParsedBody<CandidateSet> body, std::move(parsed));
  HONE_CO_TRY(std::optional<IdempotencyKey> key,
              idempotency_key(request, std::move(body.sha256), KeyNeed::optional));
  AuditedStore store(api.store, audit_entry(request, "campaign", "add_candidates", id));
  Result<AddedCandidateSet> added = co_await store.campaigns().add_candidate_set(
      std::move(id), std::move(body.value), std::move(key), request.caller.token_id);
  HONE_CO_TRY(const AddedCandidateSet set, std::move(added));
  Json candidates = Json::array();
  for (const AddedCandidate& candidate : set.candidates) {
    candidates.push_back({{"id", candidate.id}, {"index", candidate.index}});
  }
  co_return json_reply(
      Json{{"id", set.id}, {"candidates", std::move(candidates)}, {"jobs", set.jobs}},
      set.replayed ? 200 : 201);
}

Async<Reply> get_candidates(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::vector<CandidateView>> found =
      co_await api.store.campaigns(Lane::reading).candidates(std::move(id));
  HONE_CO_TRY(const std::vector<CandidateView> candidates, std::move(found));
  Json items = Json::array();
  for (const CandidateView& candidate : candidates) {
    items.push_back(to_json(candidate));
  }
  co_return list_reply(std::move(items), format, "candidates");
}

Async<Reply> close_campaign(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "campaign", "close", id));
  Result<CampaignView> closed = co_await store.campaigns().close(std::move(id));
  HONE_CO_TRY(const CampaignView view, std::move(closed));
  co_return json_reply(to_json(view));
}

Async<Reply> name_finalists(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<ParsedBody<std::vector<std::string>>> parsed =
      co_await parse_body<std::vector<std::string>>(request, parse_finalists);
  HONE_CO_TRY(ParsedBody<std::vector<std::string>> body, std::move(parsed));
  AuditedStore store(api.store, audit_entry(request, "campaign", "name_finalists", id));
  Result<CampaignView> named =
      co_await store.campaigns().name_finalists(std::move(id), std::move(body.value));
  HONE_CO_TRY(const CampaignView view, std::move(named));
  co_return json_reply(to_json(view));
}

Async<Reply> cancel_campaign(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "campaign", "cancel", id));
  Result<CampaignView> cancelled = co_await store.campaigns().cancel(std::move(id));
  HONE_CO_TRY(const CampaignView view, std::move(cancelled));
  co_return json_reply(to_json(view));
}

}  // namespace

std::vector<Route> campaign_routes(Api& api) {
  const Guard read{Subject::campaign, "id", TargetRight::read};
  const Guard submit{Subject::campaign, "id", TargetRight::submit};
  return {
      {.method = HttpMethod::post,
       .path = "/v1/campaigns",
       .roles = kSubmitters,
       .body = BodyKind::json,
       .handler = bind(api, create_campaign)},
      {.path = "/v1/campaigns",
       .roles = kReaders,
       .query = {"target", "state", "cursor", "limit", "format"},
       .handler = bind(api, list_campaigns)},
      {.path = "/v1/campaigns/{id}", .roles = kReaders, .handler = bind(api, read, get_campaign)},
      {.method = HttpMethod::post,
       .path = "/v1/campaigns/{id}/candidate-sets",
       .roles = Roles{Role::submitter, Role::learner},
       .body = BodyKind::json,
       .body_limit = kLargeBodyLimit,
       .handler = bind(api, submit, add_candidate_set)},
      {.path = "/v1/campaigns/{id}/candidates",
       .roles = kReaders,
       .query = {"format"},
       .handler = bind(api, read, get_candidates)},
      {.method = HttpMethod::put,
       .path = "/v1/campaigns/{id}/finalists",
       .roles = Roles{Role::submitter, Role::learner},
       .body = BodyKind::json,
       .handler = bind(api, submit, name_finalists)},
      {.method = HttpMethod::post,
       .path = "/v1/campaigns/{id}/close",
       .roles = Roles{Role::submitter, Role::learner},
       .body = BodyKind::optional_json,
       .handler = bind(api, submit, close_campaign)},
      {.method = HttpMethod::post,
       .path = "/v1/campaigns/{id}/cancel",
       .roles = kSubmitters,
       .body = BodyKind::optional_json,
       .handler = bind(api, submit, cancel_campaign)},
  };
}

}  // namespace hone
