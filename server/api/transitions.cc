// GET /v1/transitions: the log of compile sessions as newline-delimited JSON.
#include <fmt/chrono.h>

#include "server/api/api.h"
#include "server/api/replies.h"
#include "server/api/request_values.h"

namespace hone {
namespace {

std::string time_text(std::int64_t milliseconds) {
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(milliseconds / 1000), milliseconds % 1000);
}

void add_step(const LoggedStep& step, Json& line) {
  line["pipelines"] = step.pipelines;
  line["applied"] = step.applied;
  line["changed"] = step.changed;
  line["outcome"] = to_string(step.outcome);
  line["reason"] = null_if_blank(step.reason);
  line["log_propensities"] = step.log_propensities.empty() ? Json() : Json(step.log_propensities);
}

void add_episode(const LoggedEpisode& episode, Json& line) {
  line["episode"] = episode.id;
  line["session"] = episode.session;
  line["program"] = episode.program;
  line["start"] = to_string(episode.start);
  line["parent"] = null_if_blank(episode.parent);
  line["parent_step"] = episode.parent.empty() ? Json() : Json(episode.parent_step);
  line["machine"] = to_json(episode.machine);
  line["compiler"] = episode.compiler;
}

Result<Json> to_json(const Transition& transition) {
  const LoggedStep& step = transition.step;
  Json line = {{"kind", to_string(step.kind)},
               {"step", step.step},
               {"state", null_if_blank(step.state)},
               {"next_state", null_if_blank(step.next_state)},
               {"length", step.length},
               {"rewards", step.rewards},
               {"end_of_episode", step.kind == StepKind::end},
               {"at", time_text(step.at)}};
  add_episode(*step.episode, line);
  if (step.kind == StepKind::step) {
    add_step(step, line);
  } else if (step.kind == StepKind::undo) {
    line["undone"] = step.undone;
  } else if (step.kind == StepKind::end) {
    line["reason"] = step.reason;
    line["entries"] = step.entries;
    line["dropped"] = step.dropped;
  }
  line["features"] = Json();
  if (!transition.features.empty()) {
    HONE_TRY(line["features"], parse_json(transition.features));
  }
  return line;
}

Async<Reply> get_transitions(Api& api, Request& request) {
  RequestValues values(request);
  PageRequest page = values.page("after");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Page<Transition>> read = co_await api.store.transitions().read(std::move(page));
  HONE_CO_TRY(const Page<Transition> transitions, std::move(read));
  Reply reply;
  reply.content_type = "application/x-ndjson";
  reply.headers.emplace_back("Hone-Next-Cursor", transitions.next_cursor);
  for (const Transition& transition : transitions.items) {
    HONE_CO_TRY(const Json line, to_json(transition));
    reply.body += dump_json(line);
    reply.body.push_back('\n');
  }
  co_return reply;
}

}  // namespace

std::vector<Route> transition_routes(Api& api) {
  return {{.path = "/v1/transitions",
           .roles = kReaders,
           .query = {"after", "limit"},
           .handler = bind(api, get_transitions)}};
}

}  // namespace hone
