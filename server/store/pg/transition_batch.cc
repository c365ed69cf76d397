#include "server/store/pg/transition_batch.h"

#include <map>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

Json episode_row(const LoggedEpisode& episode) {
  Json row = {{"id", episode.id},
              {"session", episode.session},
              {"program", episode.program},
              {"start", std::string(to_string(episode.start))},
              {"machine", to_json(episode.machine)},
              {"compiler", episode.compiler},
              {"begun_at", episode.begun_at}};
  if (!episode.token.empty()) {
    row["token"] = episode.token;
  }
  if (!episode.parent.empty()) {
    row["parent"] = episode.parent;
    row["parent_step"] = episode.parent_step;
  }
  return row;
}

void add_pipelines(const LoggedStep& step, Json& row) {
  row["pipelines"] = step.pipelines;
  row["applied"] = step.applied;
  row["changed"] = step.changed;
  if (!step.log_propensities.empty()) {
    row["log_propensities"] = step.log_propensities;
  }
}

Json step_row(const LoggedStep& step) {
  Json row = {{"episode", step.episode->id},
              {"step", step.step},
              {"kind", std::string(to_string(step.kind))},
              {"outcome", std::string(to_string(step.outcome))},
              {"reason", step.reason},
              {"rewards", step.rewards},
              {"length", step.length},
              {"at", step.at}};
  if (!step.state.empty()) {
    row["state"] = step.state;
  }
  if (!step.next_state.empty()) {
    row["next_state"] = step.next_state;
  }
  if (step.kind == StepKind::step) {
    add_pipelines(step, row);
  } else if (step.kind == StepKind::undo) {
    row["undone"] = step.undone;
  } else if (step.kind == StepKind::end) {
    row["entries"] = step.entries;
    row["dropped"] = step.dropped;
  }
  return row;
}

}  // namespace

Json episodes_of(const StepBatch& steps) {
  std::map<std::string, const LoggedEpisode*> episodes;
  for (const auto& step : steps) {
    episodes.emplace(step->episode->id, step->episode.get());
  }
  Json rows = Json::array();
  for (const auto& [id, episode] : episodes) {
    rows.push_back(episode_row(*episode));
  }
  return rows;
}

Json states_of(const StepBatch& steps) {
  std::map<std::string, Json> states;
  for (const auto& step : steps) {
    if (!step->state.empty()) {
      states.try_emplace(step->state, Json::object());
    }
    if (step->next_state.empty()) {
      continue;
    }
    Json& features = states.try_emplace(step->next_state, Json::object()).first->second;
    for (const auto& [space, seen] : step->features) {
      features[space] = std::visit([](const auto& value) { return Json(value); }, seen);
    }
  }
  Json rows = Json::array();
  for (auto& [id, features] : states) {
    Json row = {{"state_id", id}};
    if (!features.empty()) {
      row["features"] = std::move(features);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json rows_of(const StepBatch& steps) {
  Json rows = Json::array();
  for (const auto& step : steps) {
    Json row = step_row(*step);
    row["place"] = rows.size();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hone
