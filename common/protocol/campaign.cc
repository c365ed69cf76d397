#include "common/protocol/campaign.h"

#include "common/protocol/fields.h"

namespace hone {
namespace {

CampaignRequest read_request(ObjectReader& reader) {
  CampaignRequest request;
  request.target = read_name(reader, "target");
  request.budget_candidates = reader.optional_integer("budget_candidates", 1, 10'000);
  request.budget_seconds = reader.optional_integer("budget_seconds", 10, 604'800);
  if (!reader.has("budget_candidates") && !reader.has("budget_seconds")) {
    reader.refuse("budget_candidates", "is missing: give it, budget_seconds or both");
  }
  request.seed = read_seed(reader, "seed", 1);
  request.baseline = reader.optional_one_of("baseline", parse_baseline_kind, kBaselineKindChoices)
                         .value_or(BaselineKind::o3);
  request.priority = reader.optional_integer("priority", -100, 100).value_or(0);
  request.proposing_seconds = reader.optional_integer("proposing_seconds", 10, 86'400);
  request.deadline_seconds = reader.optional_integer("deadline_seconds", 1, kLongestDeadline);
  return request;
}

std::optional<RewardEstimate> read_optional_reward(ObjectReader& reader, std::string_view key) {
  std::optional<RewardEstimate> reward;
  reader.optional_object(key, [&reward](ObjectReader& nested) { reward = read_reward(nested); });
  return reward;
}

CampaignView read_view(ObjectReader& reader) {
  CampaignView view;
  view.id = reader.text("id", {.max_size = 64});
  view.target = read_name(reader, "target");
  view.state = reader.one_of("state", parse_campaign_state, kCampaignStateChoices);
  view.reason = text_or_empty(reader, "reason", kMaxReasonBytes);
  view.baseline = reader.one_of("baseline", parse_baseline_kind, kBaselineKindChoices);
  view.seed = read_seed(reader, "seed", 1);
  view.budget_candidates = reader.optional_integer("budget_candidates", 1, 10'000);
  view.budget_seconds = reader.optional_integer("budget_seconds", 10, 604'800);
  view.proposing_seconds = reader.optional_integer("proposing_seconds", 10, 86'400);
  view.closed = reader.optional_truth("closed").value_or(false);
  view.candidates = reader.integer("candidates", 0, kMaxExactInteger);
  view.finished = reader.integer("finished", 0, kMaxExactInteger);
  view.failed = reader.integer("failed", 0, kMaxExactInteger);
  view.late = reader.optional_integer("late", 0, kMaxExactInteger).value_or(0);
  view.unfinished = reader.integer("unfinished", 0, kMaxExactInteger);
  view.best_candidate = text_or_empty(reader, "best_candidate", 64);
  view.best_race = read_optional_reward(reader, "best_race");
  view.winner_candidate = text_or_empty(reader, "winner_candidate", 64);
  view.confirmed = read_optional_reward(reader, "confirmed");
  view.policy_version = reader.optional_integer("policy_version", 1, kMaxExactInteger);
  view.deadline = text_or_empty(reader, "deadline", 64);
  view.created_at = text_or_empty(reader, "created_at", 64);
  view.finished_at = text_or_empty(reader, "finished_at", 64);
  return view;
}

}  // namespace

Result<CampaignRequest> parse_campaign_request(const Json& document) {
  return parse_document(document, UnknownKeys::refuse, "campaign", read_request);
}

Json to_json(const CampaignRequest& request) {
  Json document{{"target", request.target},
                {"budget_candidates", null_if_absent(request.budget_candidates)},
                {"budget_seconds", null_if_absent(request.budget_seconds)},
                {"seed", request.seed},
                {"baseline", spelling(request.baseline)},
                {"priority", request.priority},
                {"proposing_seconds", null_if_absent(request.proposing_seconds)}};
  // Left out where there is none: a honed of the release before refuses the word.
  if (request.deadline_seconds) {
    document["deadline_seconds"] = *request.deadline_seconds;
  }
  return document;
}

Json to_json(const CampaignView& view) {
  return Json{{"id", view.id},
              {"target", view.target},
              {"state", spelling(view.state)},
              {"reason", null_if_empty(view.reason)},
              {"baseline", spelling(view.baseline)},
              {"seed", view.seed},
              {"budget_candidates", null_if_absent(view.budget_candidates)},
              {"budget_seconds", null_if_absent(view.budget_seconds)},
              {"proposing_seconds", null_if_absent(view.proposing_seconds)},
              {"closed", view.closed},
              {"candidates", view.candidates},
              {"finished", view.finished},
              {"failed", view.failed},
              {"late", view.late},
              {"unfinished", view.unfinished},
              {"best_candidate", null_if_empty(view.best_candidate)},
              {"best_race", view.best_race ? to_json(*view.best_race) : Json()},
              {"winner_candidate", null_if_empty(view.winner_candidate)},
              {"confirmed", view.confirmed ? to_json(*view.confirmed) : Json()},
              {"policy_version", null_if_absent(view.policy_version)},
              {"deadline", null_if_empty(view.deadline)},
              {"created_at", null_if_empty(view.created_at)},
              {"finished_at", null_if_empty(view.finished_at)}};
}

Result<CampaignView> parse_campaign_view(const Json& document) {
  return parse_document(document, UnknownKeys::ignore, "campaign", read_view);
}

}  // namespace hone
