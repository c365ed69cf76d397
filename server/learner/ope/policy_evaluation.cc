#include "server/learner/ope/policy_evaluation.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/printable.h"

namespace hone {
namespace {

Json to_json(const OffPolicyEstimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

Json to_json(const std::optional<OffPolicyResult>& result) {
  if (!result) {
    return nullptr;
  }
  return {{"rows", result->rows},
          {"effective_sample_size", result->effective_sample_size},
          {"largest_weight", result->largest_weight},
          {"mean_weight", to_json(result->weight)},
          {"direct", result->direct},
          {"ips", to_json(result->ips)},
          {"snips", to_json(result->snips)},
          {"doubly_robust", to_json(result->doubly_robust)}};
}

std::string text_of(const OffPolicyEstimate& estimate) {
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", estimate.value, estimate.low, estimate.high);
}

void add_rows(std::string& text, const std::string& name,
              const std::optional<OffPolicyResult>& result) {
  if (!result) {
    return;
  }
  const auto line = [&](std::string_view estimate, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "{:<24.24} {:<14} {}\n", name, estimate, value);
  };
  line("direct", fmt::format("{:+.4f}", result->direct));
  line("ips", text_of(result->ips));
  line("snips", text_of(result->snips));
  line("doubly_robust", text_of(result->doubly_robust));
  line("effective", fmt::format("{:.1f} of {} decisions, largest weight {:.1f}, mean {:.3f}",
                                result->effective_sample_size, result->rows, result->largest_weight,
                                result->weight.value));
}

// Nothing where the log does not have the policy.
Result<std::optional<OffPolicyResult>> evaluated(const DecisionLog& log,
                                                 const PolicyProbabilities& policy,
                                                 const OffPolicySettings& settings) {
  Result<OffPolicyResult> result = evaluate_off_policy(log, policy, settings);
  if (!result) {
    if (result.error().code == ErrorCode::unsupported) {
      return std::optional<OffPolicyResult>();
    }
    return result.error();
  }
  return std::optional(*std::move(result));
}

}  // namespace

Result<PolicyEvaluation> estimate_policy(const DecisionLog& log, const PolicyProbabilities& policy,
                                         const std::optional<PolicyProbabilities>& current,
                                         const OffPolicySettings& settings) {
  PolicyEvaluation made;
  HONE_TRY(made.made, evaluated(log, policy, settings));
  if (current) {
    HONE_TRY(made.current_made, evaluated(log, *current, settings));
  }
  if (!made.made || (current && !made.current_made)) {
    made.decision.reason =
        fmt::format("none of the {} decisions in the log is one of the {} policy's",
                    log.rows.size(), made.made ? "current" : "new");
    return made;
  }
  made.evidence.effective_sample_size = made.made->effective_sample_size;
  made.evidence.weight = made.made->weight;
  made.evidence.difference = made.made->doubly_robust;
  if (current) {
    made.evidence.current_weight = made.current_made->weight;
    HONE_TRY(made.evidence.difference, compare_off_policy(log, policy, *current, settings));
  }
  return made;
}

void decide(PolicyEvaluation& evaluation) {
  if (evaluation.decision.reason.empty()) {
    evaluation.decision = decide_publication(evaluation.evidence);
  }
}

Json to_json(const PolicyEvaluation& evaluation) {
  const PublishEvidence& evidence = evaluation.evidence;
  const bool estimated = evidence.effective_sample_size > 0;
  return {{"policy", evaluation.policy},
          {"against", evaluation.current},
          {"estimates",
           {{"policy", to_json(evaluation.made)}, {"against", to_json(evaluation.current_made)}}},
          {"difference", estimated ? to_json(evidence.difference) : Json()},
          {"fresh", evidence.fresh ? to_json(*evidence.fresh) : Json()},
          {"failures", evidence.failures},
          {"publish", evaluation.decision.publish},
          {"reason", evaluation.decision.reason}};
}

std::string text_of(const PolicyEvaluation& evaluation) {
  std::string text;
  add_rows(text, printable(evaluation.policy), evaluation.made);
  add_rows(text, printable(evaluation.current), evaluation.current_made);
  const PublishEvidence& evidence = evaluation.evidence;
  if (evidence.effective_sample_size > 0) {
    fmt::format_to(std::back_inserter(text), "{:<24} {:<14} {}\n", "difference", "doubly_robust",
                   text_of(evidence.difference));
  }
  if (evidence.fresh) {
    fmt::format_to(std::back_inserter(text), "{:<24} {:<14} {}\n", "difference", "fresh pairs",
                   text_of(*evidence.fresh));
  }
  fmt::format_to(std::back_inserter(text), "{}: {}\n",
                 evaluation.decision.publish ? "fit to be published" : "stays a candidate",
                 printable(evaluation.decision.reason));
  return text;
}

}  // namespace hone
