#include "common/protocol/attempt_result.h"

#include <cmath>

#include <fmt/format.h>

#include "common/protocol/candidate.h"
#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr std::size_t kMaxBinaries = 64;
constexpr std::size_t kMaxWarnings = 100;
constexpr std::size_t kMaxLogBytes = 65536;
constexpr std::int64_t kMaxLinks = 1024;

Sample read_sample(ObjectReader& reader) {
  Sample sample;
  sample.pair = reader.integer("pair", 0, 1'000'000);
  sample.position = reader.integer("position", 0, 1);
  sample.block = reader.integer("block", 0, 1'000'000);
  sample.layout = reader.integer("layout", 0, 1'000'000);
  sample.input = text_or_empty(reader, "input", 64);
  sample.metric = reader.one_of("metric", parse_metric, kMetricChoices);
  sample.role = reader.one_of("role", parse_sample_role, "baseline, candidate");
  sample.value = reader.number("value", 1 / kHuge, kHuge);
  return sample;
}

EffectiveDecision read_decision(ObjectReader& reader) {
  EffectiveDecision decision;
  decision.source = reader.text("source");
  decision.output = text_or_empty(reader, "output");
  decision.state_id = read_optional_sha256(reader, "state_id");
  decision.pipeline_hash = text_or_empty(reader, "pipeline_hash", 64);
  decision.tuned = reader.truth("tuned");
  decision.meant = reader.truth("meant");
  decision.reason = text_or_empty(reader, "reason");
  decision.log_propensity =
      read_optional_measured(reader, "log_propensity", kLeastLogPropensity, 0);
  return decision;
}

BinaryInfo read_binary(ObjectReader& reader) {
  BinaryInfo binary;
  binary.path = reader.text("path");
  binary.sha256 = read_optional_sha256(reader, "sha256");
  if (!reader.has("sha256")) {
    reader.refuse("sha256", "is missing");
  }
  binary.size_bytes = reader.integer("size_bytes", 0, kMaxExactInteger);
  binary.text_bytes = reader.optional_integer("text_bytes", 0, kMaxExactInteger).value_or(0);
  return binary;
}

Json to_json(const ToolchainInfo& toolchain) {
  return Json{{"compiler", null_if_empty(toolchain.compiler)},
              {"plugin_sha256", null_if_empty(toolchain.plugin_sha256)},
              {"launcher_version", null_if_empty(toolchain.launcher_version)},
              {"linker", null_if_empty(toolchain.linker)}};
}

ToolchainInfo read_toolchain(ObjectReader& reader) {
  ToolchainInfo toolchain;
  toolchain.compiler = text_or_empty(reader, "compiler");
  toolchain.plugin_sha256 = read_optional_sha256(reader, "plugin_sha256");
  toolchain.launcher_version = text_or_empty(reader, "launcher_version", 256);
  toolchain.linker = text_or_empty(reader, "linker");
  return toolchain;
}

// What ties the fields to each other: a failure has a reason and no reward; a measurement a
// verdict, and a reward that its own samples, or those of the attempt it reuses, stand behind.
void check_outcome(ObjectReader& reader, const AttemptResult& result) {
  if (result.outcome == Outcome::ok) {
    if (!result.verdict && !reader.has("verdict")) {
      reader.refuse("verdict", "is missing: outcome ok needs one, " + std::string(kVerdictChoices));
    }
    // no_change without one: the very binary of the baseline, nothing to measure.
    const bool needs_reward = result.verdict && result.verdict != Verdict::no_change;
    if (needs_reward && !result.reward && !reader.has("reward")) {
      reader.refuse("reward", "is missing: verdict " + std::string(to_string(*result.verdict)) +
                                  " comes from one");
    }
    return;
  }
  const std::string outcome(to_string(result.outcome));
  if (result.reason.empty() && reader.has("outcome")) {
    reader.refuse("reason", "is missing: outcome " + outcome + " needs one");
  }
  if (result.verdict) {
    reader.refuse("verdict", "goes with outcome ok only, not " + outcome);
  }
  if (result.reward) {
    reader.refuse("reward", "goes with outcome ok only, not " + outcome);
  }
}

// Which way it went, twice. Whether the interval holds 0 is not asked: the test that decides and
// the interval that is shown with it may differ at the edge.
void check_direction(ObjectReader& reader, const AttemptResult& result) {
  const Json* const reward = reader.find("reward");
  if (!result.verdict || !result.reward || !reward->contains("value") ||
      !reward->at("value").is_number()) {
    return;  // what is missing is told by its own name
  }
  const double value = result.reward->value;
  if ((result.verdict == Verdict::faster && value <= 0) ||
      (result.verdict == Verdict::slower && value >= 0)) {
    reader.refuse("verdict", std::string(to_string(*result.verdict)) + " needs a reward " +
                                 (result.verdict == Verdict::faster ? "above" : "below") +
                                 " 0, not " + fmt::format("{}", value));
  }
}

AttemptResult read_whole_result(ObjectReader& reader) {
  AttemptResult result = read_attempt_result(reader);
  if (result.outcome == Outcome::ok && result.reward && result.samples.empty() &&
      result.reused_attempt.empty()) {
    reader.refuse("samples", "is empty: a reward needs its raw samples, or reused_attempt");
  }
  check_direction(reader, result);
  return result;
}

}  // namespace

Json to_json(const EffectiveDecision& decision) {
  return Json{{"source", decision.source},
              {"output", decision.output},
              {"state_id", null_if_empty(decision.state_id)},
              {"pipeline_hash", null_if_empty(decision.pipeline_hash)},
              {"tuned", decision.tuned},
              {"meant", decision.meant},
              {"reason", null_if_empty(decision.reason)},
              {"log_propensity", null_if_absent(decision.log_propensity)}};
}

Json to_json(const BinaryInfo& binary) {
  return Json{{"path", binary.path},
              {"sha256", binary.sha256},
              {"size_bytes", binary.size_bytes},
              {"text_bytes", binary.text_bytes}};
}

Json to_json(const Sample& sample) {
  return Json{{"pair", sample.pair},
              {"position", sample.position},
              {"block", sample.block},
              {"layout", sample.layout},
              {"input", null_if_empty(sample.input)},
              {"metric", spelling(sample.metric)},
              {"role", spelling(sample.role)},
              {"value", sample.value}};
}

Json to_json(const MachineInfo& machine) {
  return Json{{"host", machine.host},
              {"cpu_model", null_if_empty(machine.cpu_model)},
              {"cpus", machine.cpus},
              {"memory_mib", machine.memory_mib},
              {"kernel", null_if_empty(machine.kernel)}};
}

MachineInfo read_machine(ObjectReader& reader) {
  MachineInfo machine;
  machine.host = text_or_empty(reader, "host", 256);
  machine.cpu_model = text_or_empty(reader, "cpu_model", 256);
  machine.cpus = reader.optional_integer("cpus", 0, 1 << 20).value_or(0);
  machine.memory_mib = reader.optional_integer("memory_mib", 0, kMaxExactInteger).value_or(0);
  machine.kernel = text_or_empty(reader, "kernel", 256);
  return machine;
}

Json to_json(const AttemptResult& result) {
  return Json{{"outcome", spelling(result.outcome)},
              {"reason", null_if_empty(result.reason)},
              {"verdict", spelling_or_null(result.verdict)},
              {"reward", result.reward ? to_json(*result.reward) : Json()},
              {"reused_attempt", null_if_empty(result.reused_attempt)},
              {"samples", list_to_json(result.samples)},
              {"decisions", list_to_json(result.decisions)},
              {"binaries", list_to_json(result.binaries)},
              {"baseline_binaries", list_to_json(result.baseline_binaries)},
              {"machine", to_json(result.machine)},
              {"toolchain", to_json(result.toolchain)},
              {"build_seconds", result.build_seconds},
              {"baseline_build_seconds", result.baseline_build_seconds},
              {"measure_seconds", result.measure_seconds},
              {"links", result.links},
              {"layout_sigma", result.layout_sigma},
              {"self_check", result.self_check ? to_json(*result.self_check) : Json()},
              {"profile", result.profile ? to_json(*result.profile) : Json()},
              {"log", null_if_empty(result.log)},
              {"warnings", result.warnings}};
}

AttemptResult read_attempt_result(ObjectReader& reader) {
  AttemptResult result;
  result.outcome = reader.one_of("outcome", parse_outcome, kOutcomeChoices);
  result.reason = text_or_empty(reader, "reason", kMaxReasonBytes);
  result.verdict = reader.optional_one_of("verdict", parse_verdict, kVerdictChoices);
  reader.optional_object("reward",
                         [&result](ObjectReader& reward) { result.reward = read_reward(reward); });
  result.reused_attempt = text_or_empty(reader, "reused_attempt", 64);
  reader.each("samples", kMaxSamples,
              [&result](ObjectReader& sample) { result.samples.push_back(read_sample(sample)); });
  reader.each("decisions", kMaxDecisions, [&result](ObjectReader& decision) {
    result.decisions.push_back(read_decision(decision));
  });
  reader.each("binaries", kMaxBinaries,
              [&result](ObjectReader& binary) { result.binaries.push_back(read_binary(binary)); });
  reader.each("baseline_binaries", kMaxBinaries, [&result](ObjectReader& binary) {
    result.baseline_binaries.push_back(read_binary(binary));
  });
  reader.optional_object(
      "machine", [&result](ObjectReader& machine) { result.machine = read_machine(machine); });
  reader.optional_object("toolchain", [&result](ObjectReader& toolchain) {
    result.toolchain = read_toolchain(toolchain);
  });
  result.build_seconds = read_optional_measured(reader, "build_seconds", 0, kHuge).value_or(0);
  result.baseline_build_seconds =
      read_optional_measured(reader, "baseline_build_seconds", 0, kHuge).value_or(0);
  result.measure_seconds = read_optional_measured(reader, "measure_seconds", 0, kHuge).value_or(0);
  result.links = reader.optional_integer("links", 1, kMaxLinks).value_or(1);
  result.layout_sigma = read_optional_measured(reader, "layout_sigma", 0, kHuge).value_or(0);
  reader.optional_object(
      "self_check", [&result](ObjectReader& check) { result.self_check = read_self_check(check); });
  reader.optional_object("profile", [&result](ObjectReader& profile) {
    result.profile = read_source_profile(profile);
  });
  result.log = text_or_empty(reader, "log", kMaxLogBytes);
  result.warnings = reader.text_list("warnings", kMaxWarnings, {.max_size = 4096});
  check_outcome(reader, result);
  return result;
}

Result<AttemptResult> parse_attempt_result(const Json& document, UnknownKeys unknown) {
  return parse_document(document, unknown, "result", read_whole_result);
}

}  // namespace hone
