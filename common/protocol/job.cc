#include "common/protocol/job.h"

#include "common/protocol/fields.h"
#include "common/protocol/rules.h"

namespace hone {
namespace {

constexpr std::size_t kMaxUnmet = 100;

JobRequest read_request(ObjectReader& reader) {
  JobRequest request;
  request.target = read_name(reader, "target");
  request.rules = read_rules(reader, "rules");
  request.note = text_or_empty(reader, "note");
  request.stage =
      reader.optional_one_of("stage", parse_stage, kStageChoices).value_or(Stage::confirm);
  request.baseline = reader.optional_one_of("baseline", parse_baseline_kind, kBaselineKindChoices)
                         .value_or(BaselineKind::o3);
  request.priority = reader.optional_integer("priority", -100, 100).value_or(0);
  request.max_attempts = reader.optional_integer("max_attempts", 1, 10).value_or(3);
  request.deadline_seconds = reader.optional_integer("deadline_seconds", 1, kLongestDeadline);
  return request;
}

std::vector<JobRequest> read_batch(ObjectReader& reader) {
  std::vector<JobRequest> jobs;
  const Json* list = reader.require("jobs");
  reader.each("jobs", kMaxJobsPerBatch,
              [&jobs](ObjectReader& job) { jobs.push_back(read_request(job)); });
  if (list != nullptr && list->is_array() && list->empty()) {
    reader.refuse("jobs", "must have at least one job");
  }
  return jobs;
}

AttemptView read_attempt(ObjectReader& reader) {
  AttemptView attempt;
  attempt.id = reader.text("id", {.max_size = 64});
  attempt.number = reader.integer("number", 1, 1'000'000);
  attempt.worker = text_or_empty(reader, "worker", 64);
  attempt.state =
      reader.one_of("state", parse_attempt_state, "leased, completed, failed, expired, cancelled");
  attempt.reason = text_or_empty(reader, "reason", kMaxReasonBytes);
  attempt.leased_at = text_or_empty(reader, "leased_at", 64);
  attempt.ended_at = text_or_empty(reader, "ended_at", 64);
  return attempt;
}

JobView read_view(ObjectReader& reader) {
  JobView view;
  view.id = reader.text("id", {.max_size = 64});
  view.target = read_name(reader, "target");
  view.campaign = text_or_empty(reader, "campaign", 64);
  view.candidate = text_or_empty(reader, "candidate", 64);
  view.origin = text_or_empty(reader, "origin", 64);
  view.note = text_or_empty(reader, "note");
  view.stage = reader.one_of("stage", parse_stage, kStageChoices);
  view.baseline = reader.one_of("baseline", parse_baseline_kind, kBaselineKindChoices);
  // A coordinator before this field tells none.
  view.metric =
      reader.optional_one_of("metric", parse_metric, kMetricChoices).value_or(Metric::cpu_time);
  view.state = reader.one_of("state", parse_job_state, kJobStateChoices);
  view.late = reader.optional_truth("late").value_or(false);
  view.priority = reader.integer("priority", -100, 100);
  view.max_attempts = reader.integer("max_attempts", 1, 10);
  view.outcome = reader.optional_one_of("outcome", parse_outcome, kOutcomeChoices);
  view.reason = text_or_empty(reader, "reason", kMaxReasonBytes);
  view.verdict = reader.optional_one_of("verdict", parse_verdict, kVerdictChoices);
  reader.optional_object("reward",
                         [&view](ObjectReader& reward) { view.reward = read_reward(reward); });
  view.created_at = text_or_empty(reader, "created_at", 64);
  view.finished_at = text_or_empty(reader, "finished_at", 64);
  view.not_before = text_or_empty(reader, "not_before", 64);
  view.deadline = text_or_empty(reader, "deadline", 64);
  view.unmet = reader.text_list("unmet", kMaxUnmet, {.max_size = kMaxReasonBytes});
  view.waits = text_or_empty(reader, "waits", kMaxReasonBytes);
  view.ahead = reader.optional_integer("ahead", 0, kMaxExactInteger);
  view.trace_id = text_or_empty(reader, "trace_id", 64);
  reader.each("attempts", 1000,
              [&view](ObjectReader& attempt) { view.attempts.push_back(read_attempt(attempt)); });
  view.rules = read_rules(reader, "rules");
  reader.optional_object(
      "result", [&view](ObjectReader& result) { view.result = read_attempt_result(result); });
  return view;
}

Json to_json(const AttemptView& attempt) {
  return Json{{"id", attempt.id},
              {"number", attempt.number},
              {"worker", null_if_empty(attempt.worker)},
              {"state", spelling(attempt.state)},
              {"reason", null_if_empty(attempt.reason)},
              {"leased_at", null_if_empty(attempt.leased_at)},
              {"ended_at", null_if_empty(attempt.ended_at)}};
}

}  // namespace

Result<std::vector<JobRequest>> parse_job_batch(const Json& document) {
  return parse_document(document, UnknownKeys::refuse, "batch of jobs", read_batch);
}

Json to_json(const JobRequest& request) {
  return Json{{"target", request.target},
              {"rules", rules_to_json(request.rules)},
              {"note", null_if_empty(request.note)},
              {"stage", spelling(request.stage)},
              {"baseline", spelling(request.baseline)},
              {"priority", request.priority},
              {"max_attempts", request.max_attempts},
              {"deadline_seconds", null_if_absent(request.deadline_seconds)}};
}

Json to_json(const JobView& view) {
  Json document{{"id", view.id},
                {"target", view.target},
                {"campaign", null_if_empty(view.campaign)},
                {"candidate", null_if_empty(view.candidate)},
                {"origin", null_if_empty(view.origin)},
                {"note", null_if_empty(view.note)},
                {"stage", spelling(view.stage)},
                {"baseline", spelling(view.baseline)},
                {"metric", spelling(view.metric)},
                {"state", spelling(view.state)},
                {"late", view.late},
                {"priority", view.priority},
                {"max_attempts", view.max_attempts},
                {"outcome", spelling_or_null(view.outcome)},
                {"reason", null_if_empty(view.reason)},
                {"verdict", spelling_or_null(view.verdict)},
                {"reward", view.reward ? to_json(*view.reward) : Json()},
                {"created_at", null_if_empty(view.created_at)},
                {"finished_at", null_if_empty(view.finished_at)},
                {"not_before", null_if_empty(view.not_before)},
                {"deadline", null_if_empty(view.deadline)},
                {"trace_id", null_if_empty(view.trace_id)}};
  // Lists leave these out: they are long, and only GET /v1/jobs/{id} has them.
  if (!view.unmet.empty()) {
    document["unmet"] = view.unmet;
  }
  if (!view.waits.empty()) {
    document["waits"] = view.waits;
    document["ahead"] = null_if_absent(view.ahead);
  }
  if (!view.attempts.empty()) {
    Json& attempts = document["attempts"] = Json::array();
    for (const AttemptView& attempt : view.attempts) {
      attempts.push_back(to_json(attempt));
    }
  }
  if (!view.rules.empty()) {
    document["rules"] = rules_to_json(view.rules);
  }
  if (view.result) {
    document["result"] = to_json(*view.result);
  }
  return document;
}

Result<JobView> parse_job_view(const Json& document) {
  return parse_document(document, UnknownKeys::ignore, "job", read_view);
}

}  // namespace hone
