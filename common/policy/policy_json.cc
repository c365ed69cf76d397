#include "common/policy/policy_json.h"

#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/base/text.h"
#include "common/json/object_reader.h"
#include "common/json/pointer.h"
#include "common/policy/timestamp.h"

namespace hone {
namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMaxRules = 1U << 20U;
constexpr std::size_t kMaxKnobs = 256;
constexpr std::size_t kMaxPipelineBytes = 64U << 10U;
constexpr std::size_t kMaxCardBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxChoiceParts = 4096;
constexpr std::int64_t kMaxCpuSeconds = 86400;

std::optional<OnSourceChange> parse_on_source_change(std::string_view text) {
  if (text == "keep") {
    return OnSourceChange::keep;
  }
  if (text == "plain") {
    return OnSourceChange::plain;
  }
  return std::nullopt;
}

// The one feature that was added to format 1: rules with a choice.
constexpr std::string_view kChoiceFeature = "choice";

// What `requires` names and this reader does not know.
std::vector<std::string> unknown_features(ObjectReader& reader) {
  std::vector<std::string> features = reader.text_list("requires", 64, {.max_size = 64});
  std::erase(features, kChoiceFeature);
  return features;
}

std::int64_t read_timestamp(ObjectReader& reader, std::string_view key) {
  const std::optional<std::string> text = reader.optional_text(key, {.max_size = 64});
  if (!text) {
    return 0;
  }
  const std::optional<std::int64_t> seconds = parse_timestamp(*text);
  if (!seconds) {
    reader.refuse(key, "\"" + *text + "\" is no RFC 3339 date and time");
  }
  return seconds.value_or(0);
}

std::vector<Knob> read_knobs(ObjectReader& reader) {
  std::vector<Knob> knobs;
  const Json* const object = reader.find("knobs");
  if (object == nullptr) {
    return knobs;
  }
  if (!object->is_object() || object->size() > kMaxKnobs) {
    reader.refuse("knobs", "must be an object of at most 256 texts");
    return knobs;
  }
  for (const auto& [name, value] : object->items()) {
    if (name.empty() || !value.is_string()) {
      reader.problems().add(child_pointer(child_pointer(reader.pointer(), "knobs"), name),
                            "must be a text, the value as written after '='");
      continue;
    }
    knobs.push_back({name, value.get<std::string>()});
  }
  return knobs;
}

void read_rules(ObjectReader& reader, ParsedPolicy& parsed) {
  const Json* const list = reader.require("rules");
  if (list == nullptr) {
    return;
  }
  if (!list->is_array() || list->size() > kMaxRules) {
    reader.refuse("rules", "must be a list of at most 1048576 rules");
    return;
  }
  const std::string rules_pointer = child_pointer(reader.pointer(), "rules");
  for (std::size_t i = 0; i < list->size(); ++i) {
    ObjectReader rule((*list)[i], child_pointer(rules_pointer, std::to_string(i)),
                      reader.problems(), reader.unknown_keys());
    const std::vector<std::string> unknown = unknown_features(rule);
    if (!unknown.empty()) {
      parsed.warnings.push_back("rule " + std::to_string(i) + " is disabled: it requires " +
                                join(unknown, ", ") + ", which this version does not know");
      continue;
    }
    parsed.policy.rules.push_back(read_rule(rule));
    rule.finish();
  }
}

}  // namespace

Rule read_rule(ObjectReader& reader) {
  Rule rule;
  rule.source = reader.text("source");
  rule.output = reader.optional_text("output", {.min_size = 0}).value_or("");
  rule.option_fingerprint = reader.optional_text("options", {.min_size = 0}).value_or("");
  if (reader.has("levels")) {
    rule.levels = reader.text_list("levels", 8, {.max_size = 8});
  }
  rule.on_source_change = reader
                              .optional_one_of<OnSourceChange>(
                                  "on_source_change", parse_on_source_change, "keep, plain")
                              .value_or(OnSourceChange::keep);
  rule.source_hash = reader.optional_text("source_hash", {.min_size = 0}).value_or("");
  rule.decision.pipeline = reader.text("pipeline", {.max_size = kMaxPipelineBytes});
  rule.decision.knobs = read_knobs(reader);
  // In the document a part a line, for people; elsewhere as one text.
  rule.decision.choice =
      join(reader.text_list("choice", kMaxChoiceParts, {.max_size = kMaxPipelineBytes}), "|");
  return rule;
}

Result<ParsedPolicy> policy_from_json(const Json& document) {
  ParsedPolicy parsed;
  Policy& policy = parsed.policy;
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  const std::int64_t format = reader.integer("format", 1, std::numeric_limits<std::int32_t>::max());
  if (problems.empty() && format != kFormat) {
    return fail(ErrorCode::unsupported, "policy of format " + std::to_string(format) +
                                            ", this version reads " + std::to_string(kFormat));
  }
  policy.target = reader.text("target", {.max_size = 256});
  policy.sequence = static_cast<std::uint64_t>(reader.integer("sequence", 0, kMaxExactInteger));
  reader.object("compiler", [&](ObjectReader& compiler) {
    policy.compiler.family = compiler.text("family", {.max_size = 32});
    policy.compiler.major = static_cast<int>(compiler.integer("major", 1, 999));
    policy.compiler.version =
        compiler.optional_text("version", {.min_size = 0, .max_size = 256}).value_or("");
  });
  policy.commit = reader.optional_text("commit", {.min_size = 0, .max_size = 256}).value_or("");
  policy.created_at = read_timestamp(reader, "created_at");
  policy.expires_at = read_timestamp(reader, "expires_at");
  policy.provenance = reader.optional_text("provenance", {.min_size = 0}).value_or("");
  if (const Json* const card = reader.find("card"); card != nullptr) {
    policy.card = dump_json(*card);
    if (!card->is_object() || policy.card.size() > kMaxCardBytes) {
      reader.refuse("card", "must be an object of at most 1 MiB");
    }
  }
  policy.cpu_limit_seconds =
      reader.optional_integer("cpu_limit_seconds", 0, kMaxCpuSeconds).value_or(0);

  const std::vector<std::string> unknown = unknown_features(reader);
  if (unknown.empty()) {
    read_rules(reader, parsed);
    reader.finish();
  } else {
    parsed.warnings.push_back("all rules are disabled: the policy requires " + join(unknown, ", ") +
                              ", which this version does not know");
  }
  if (auto error = problems.as_error("policy")) {
    return *std::move(error);
  }
  return parsed;
}

Result<ParsedPolicy> parse_policy(std::string_view text) {
  // 10,000 rules with pipelines of their own are some 30 MB.
  HONE_TRY(const Json document, parse_json(text, {.bytes = std::size_t{256} << 20U}));
  return policy_from_json(document);
}

Json rule_to_json(const Rule& rule) {
  Json knobs = Json::object();
  for (const Knob& knob : rule.decision.knobs) {
    knobs[knob.name] = knob.value;
  }
  Json document = {
      {"source", rule.source},
      {"output", rule.output},
      {"options", rule.option_fingerprint},
      {"levels", rule.levels},
      {"on_source_change", rule.on_source_change == OnSourceChange::plain ? "plain" : "keep"},
      {"source_hash", rule.source_hash},
      {"pipeline", rule.decision.pipeline},
      {"knobs", std::move(knobs)},
  };
  if (!rule.decision.choice.empty()) {
    document["requires"] = Json::array({kChoiceFeature});
    Json& parts = document["choice"] = Json::array();
    for (const std::string_view part : split(rule.decision.choice, '|')) {
      parts.push_back(part);
    }
  }
  return document;
}

Json policy_to_json(const Policy& policy) {
  Json rules = Json::array();
  for (const Rule& rule : policy.rules) {
    rules.push_back(rule_to_json(rule));
  }
  Json document = {
      {"format", kFormat},
      {"requires", Json::array()},
      {"target", policy.target},
      {"sequence", policy.sequence},
      {"compiler",
       {{"family", policy.compiler.family},
        {"major", policy.compiler.major},
        {"version", policy.compiler.version}}},
      {"commit", policy.commit},
      {"created_at", format_timestamp(policy.created_at)},
      {"provenance", policy.provenance},
      {"cpu_limit_seconds", policy.cpu_limit_seconds},
      {"rules", std::move(rules)},
  };
  if (!policy.card.empty()) {
    document["card"] = Json::parse(policy.card, nullptr, false);
  }
  if (policy.expires_at != 0) {
    document["expires_at"] = format_timestamp(policy.expires_at);
  }
  return document;
}

std::string print_policy(const Policy& policy) {
  return dump_json_pretty(policy_to_json(policy));
}

std::string policy_content_hash(const Json& document) {
  return sha256_hex(dump_json(document));
}

std::string policy_content_hash(const Policy& policy) {
  return policy_content_hash(policy_to_json(policy));
}

}  // namespace hone
