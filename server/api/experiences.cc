// GET /v1/experiences: the replay buffer as newline-delimited JSON.
#include "common/protocol/attempt_result.h"
#include "server/api/api.h"
#include "server/api/replies.h"
#include "server/api/request_values.h"

namespace hone {
namespace {

Json to_json(const Experience& experience) {
  Json decisions = Json::array();
  for (const EffectiveDecision& decision : experience.decisions) {
    decisions.push_back(to_json(decision));
  }
  return Json{
      {"id", experience.id},
      {"source", to_string(experience.source)},
      {"target", experience.target},
      {"target_version", experience.target_version},
      {"job", experience.job},
      {"attempt", experience.attempt},
      {"campaign", null_if_blank(experience.campaign)},
      {"candidate_set", null_if_blank(experience.candidate_set)},
      {"candidate", null_if_blank(experience.candidate)},
      {"candidate_index", experience.candidate.empty() ? Json() : Json(experience.candidate_index)},
      {"log_propensity", experience.log_propensity ? Json(*experience.log_propensity) : Json()},
      {"stage", to_string(experience.stage)},
      {"baseline", to_string(experience.baseline)},
      {"outcome", to_string(experience.outcome)},
      {"reason", null_if_blank(experience.reason)},
      {"verdict", experience.verdict ? Json(to_string(*experience.verdict)) : Json()},
      {"reward", experience.reward ? to_json(*experience.reward) : Json()},
      {"reused_attempt", null_if_blank(experience.reused_attempt)},
      {"decisions", std::move(decisions)},
      {"machine", to_json(experience.machine)},
      {"compiler", null_if_blank(experience.compiler)},
      {"created_at", experience.created_at}};
}

Async<Reply> get_experiences(Api& api, Request& request) {
  RequestValues values(request);
  PageRequest page = values.page("after");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Page<Experience>> read = co_await api.store.experiences().read(std::move(page));
  HONE_CO_TRY(const Page<Experience> experiences, std::move(read));
  Reply reply;
  reply.content_type = "application/x-ndjson";
  reply.headers.emplace_back("Hone-Next-Cursor", experiences.next_cursor);
  for (const Experience& experience : experiences.items) {
    reply.body += dump_json(to_json(experience));
    reply.body.push_back('\n');
  }
  co_return reply;
}

}  // namespace

std::vector<Route> experience_routes(Api& api) {
  return {{.path = "/v1/experiences",
           .roles = kReaders,
           .query = {"after", "limit"},
           .handler = bind(api, get_experiences)}};
}

}  // namespace hone
