#include "common/protocol/canary_spec.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/protocol/fields.h"

namespace hone {
namespace {

constexpr std::size_t kMostSteps = 32;
constexpr std::int64_t kMostWindows = 100'000;

void read_steps(ObjectReader& reader, std::vector<int>& steps) {
  const Json* const list = reader.find("steps");
  if (list == nullptr) {
    return;
  }
  if (!list->is_array() || list->empty() || list->size() > kMostSteps) {
    reader.refuse("steps", fmt::format("must be 1 to {} numbers", kMostSteps));
    return;
  }
  steps.clear();
  int last = 0;
  for (const Json& each : *list) {
    if (!each.is_number_integer() || each.get<std::int64_t>() <= last ||
        each.get<std::int64_t>() > 99) {
      reader.refuse("steps", "must be whole per cents of traffic that ascend, each 1 to 99");
      return;
    }
    last = each.get<int>();
    steps.push_back(last);
  }
}

RampPlan read_ramp(ObjectReader& reader) {
  RampPlan plan;
  read_steps(reader, plan.steps);
  const auto count = [&](std::string_view key, std::size_t otherwise) {
    return static_cast<std::size_t>(reader.optional_integer(key, 1, kMostWindows)
                                        .value_or(static_cast<std::int64_t>(otherwise)));
  };
  plan.step_windows = count("step_windows", plan.step_windows);
  plan.most_windows = count("most_windows", std::max(plan.most_windows, plan.step_windows));
  plan.most_lost = count("most_lost", plan.most_lost);
  plan.most_waiting = count("most_waiting", plan.most_waiting);
  if (plan.most_windows < plan.step_windows) {
    reader.refuse("most_windows", "must be step_windows at least");
  }
  plan.approval = reader.optional_one_of("approval", parse_approval, "automatic and by_hand")
                      .value_or(Approval::automatic);
  return plan;
}

SliRule read_rule(ObjectReader& reader) {
  SliRule rule;
  rule.sli = reader.one_of("sli", parse_sli, kSliChoices);
  rule.tolerance = reader.number("tolerance", 1e-6, 10);
  rule.floor = reader.optional_number("floor", 0, 10).value_or(rule.tolerance / 5);
  if (rule.floor > rule.tolerance) {
    reader.refuse("floor", "must be at most the tolerance");
  }
  return rule;
}

void read_rules(ObjectReader& reader, std::vector<SliRule>& rules) {
  if (!reader.has("rules")) {
    return;
  }
  rules.clear();
  reader.each("rules", std::size(kSlis), [&](ObjectReader& inner) {
    const SliRule rule = read_rule(inner);
    if (std::ranges::any_of(rules, [&](const SliRule& known) { return known.sli == rule.sli; })) {
      inner.refuse("sli", "has a rule already");
    }
    rules.push_back(rule);
  });
  if (rules.empty()) {
    reader.refuse("rules", "must hold a rule at least; leave it out for all indicators");
  }
}

CanarySpec read_canary_spec(ObjectReader& reader) {
  CanarySpec spec;
  spec.target = read_name(reader, "target");
  spec.policy_version = reader.integer("policy_version", 1, kMaxVersion);
  read_rules(reader, spec.rules);
  reader.optional_object("ramp", [&](ObjectReader& inner) { spec.ramp = read_ramp(inner); });
  return spec;
}

}  // namespace

std::string_view to_string(Approval approval) {
  return approval == Approval::automatic ? "automatic" : "by_hand";
}

std::optional<Approval> parse_approval(std::string_view text) {
  if (text == "automatic") {
    return Approval::automatic;
  }
  return text == "by_hand" ? std::optional(Approval::by_hand) : std::nullopt;
}

std::vector<SliRule> default_rules() {
  return {{.sli = Sli::latency_p95, .tolerance = 0.05, .floor = 0.02},
          {.sli = Sli::latency_p50, .tolerance = 0.05, .floor = 0.01},
          {.sli = Sli::latency_p99, .tolerance = 0.10, .floor = 0.03},
          {.sli = Sli::latency_spread, .tolerance = 0.10, .floor = 0.03},
          {.sli = Sli::failure_share, .tolerance = 0.005, .floor = 0.0005},
          {.sli = Sli::cpu_per_request, .tolerance = 0.03, .floor = 0.01}};
}

Result<CanarySpec> parse_canary_spec(const Json& document, UnknownKeys unknown) {
  return parse_document<CanarySpec>(document, unknown, "canary", read_canary_spec);
}

Json to_json(const CanarySpec& spec) {
  Json rules = Json::array();
  for (const SliRule& rule : spec.rules) {
    rules.push_back(
        {{"sli", spelling(rule.sli)}, {"tolerance", rule.tolerance}, {"floor", rule.floor}});
  }
  return {{"target", spec.target},
          {"policy_version", spec.policy_version},
          {"rules", std::move(rules)},
          {"ramp",
           {{"steps", spec.ramp.steps},
            {"step_windows", spec.ramp.step_windows},
            {"most_windows", spec.ramp.most_windows},
            {"most_lost", spec.ramp.most_lost},
            {"most_waiting", spec.ramp.most_waiting},
            {"approval", spelling(spec.ramp.approval)}}}};
}

}  // namespace hone
