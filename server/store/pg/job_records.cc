#include "server/store/pg/job_records.h"

#include <nlohmann/json.hpp>

#include "server/store/pg/records.h"

namespace hone {

JobView read_job(const PgRow& row) {
  JobView job;
  job.id = row.text("id");
  job.target = row.text("target");
  job.campaign = row.text_or_empty("campaign");
  job.candidate = row.text_or_empty("candidate");
  job.origin = row.text_or_empty("origin");
  job.note = row.text("note");
  job.stage = row.one_of("stage", parse_stage);
  job.baseline = row.one_of("baseline", parse_baseline_kind);
  job.metric = row.one_of("metric", parse_metric);
  job.state = row.one_of("state", parse_job_state);
  job.late = row.truth("late");
  job.priority = row.integer("priority");
  job.max_attempts = row.integer("max_attempts");
  job.outcome = row.optional_one_of("outcome", parse_outcome);
  job.reason = row.text_or_empty("reason");
  job.verdict = row.optional_one_of("verdict", parse_verdict);
  job.reward = read_reward(row);
  job.created_at = row.text("created_at");
  job.finished_at = row.text_or_empty("finished_at");
  job.not_before = row.text_or_empty("not_before");
  job.deadline = row.text_or_empty("deadline");
  job.trace_id = row.text_or_empty("trace_id");
  return job;
}

AttemptView read_attempt(const PgRow& row) {
  AttemptView attempt;
  attempt.id = row.text("id");
  attempt.number = row.integer("ordinal");
  attempt.worker = row.text("worker");
  attempt.state = row.one_of("state", parse_attempt_state);
  attempt.reason = row.text("reason");
  attempt.leased_at = row.text("leased_at");
  attempt.ended_at = row.text_or_empty("ended_at");
  return attempt;
}

AttemptResult read_result(const PgRow& row) {
  AttemptResult result;
  result.outcome = row.one_of("outcome", parse_outcome);
  result.reason = row.text("reason");
  result.verdict = row.optional_one_of("verdict", parse_verdict);
  result.reward = read_reward(row);
  result.reused_attempt = row.text_or_empty("reused_attempt");
  result.machine = machine_from_json(row.json("machine"));
  result.toolchain.compiler = row.text("compiler");
  result.toolchain.plugin_sha256 = row.text("plugin_sha256");
  result.toolchain.launcher_version = row.text("launcher_version");
  result.toolchain.linker = row.text("linker");
  result.build_seconds = row.number("build_seconds");
  result.baseline_build_seconds = row.number("baseline_build_seconds");
  result.measure_seconds = row.number("measure_seconds");
  result.links = row.integer("links");
  result.layout_sigma = row.number("layout_sigma");
  result.log = row.text("log");
  for (const Json& warning : row.json("warnings")) {
    result.warnings.push_back(warning.get<std::string>());
  }
  return result;
}

Sample read_sample(const PgRow& row) {
  Sample sample;
  sample.pair = row.integer("pair");
  sample.position = row.integer("position");
  sample.block = row.integer("block");
  sample.layout = row.integer("layout");
  sample.input = row.text("input");
  sample.metric = row.one_of("metric", parse_metric);
  sample.role = row.one_of("role", parse_sample_role);
  sample.value = row.number("value");
  return sample;
}

EffectiveDecision read_decision(const PgRow& row) {
  EffectiveDecision decision;
  decision.source = row.text("source");
  decision.output = row.text("output");
  decision.state_id = row.text_or_empty("state_id");
  decision.pipeline_hash = row.text("pipeline_hash");
  decision.tuned = row.truth("tuned");
  decision.meant = row.truth("meant");
  decision.reason = row.text("reason");
  decision.log_propensity = row.optional_number("log_propensity");
  return decision;
}

BinaryInfo read_binary(const PgRow& row) {
  BinaryInfo binary;
  binary.path = row.text("path");
  binary.sha256 = row.text("sha256");
  binary.size_bytes = row.integer("size_bytes");
  binary.text_bytes = row.integer("text_bytes");
  return binary;
}

}  // namespace hone
