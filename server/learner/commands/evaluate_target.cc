// hone-learner evaluate --target
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/client/client.h"
#include "common/policy/policy_json.h"
#include "server/learner/buffer/experience_stream.h"
#include "server/learner/commands/evaluate_options.h"
#include "server/learner/ope/target_log.h"

namespace hone {
namespace {

constexpr std::size_t kMaxPolicyBytes = std::size_t{64} << 20U;
constexpr std::string_view kBaseline = "baseline";
constexpr std::string_view kPromoted = "promoted";

struct NamedPolicy {
  std::string name;
  Json document;
  bool is_signed = false;
  std::vector<Rule> rules;
};

Result<NamedPolicy> policy_of(std::string name, std::string_view text, const std::string& target) {
  Result<Json> document = parse_json(text);
  if (!document) {
    return document.error().within(name);
  }
  NamedPolicy made;
  // An envelope with a signature, or the policy itself.
  if (document->is_object() && document->contains("policy")) {
    made.is_signed = document->contains("signature");
    made.document = document->at("policy");
  } else {
    made.document = *std::move(document);
  }
  const Result<ParsedPolicy> parsed = policy_from_json(made.document);
  if (!parsed) {
    return parsed.error().within(name);
  }
  if (!parsed->warnings.empty()) {
    return fail(ErrorCode::unsupported,
                name + ": " + parsed->warnings.front() + ": what is not known cannot be evaluated");
  }
  if (parsed->policy.target != target) {
    return fail(ErrorCode::conflict, fmt::format("{} is a policy of target \"{}\", not of \"{}\"",
                                                 name, parsed->policy.target, target));
  }
  made.name = std::move(name);
  made.rules = parsed->policy.rules;
  return made;
}

Result<NamedPolicy> policy_in_file(const std::string& file, const std::string& target) {
  HONE_TRY(const std::string text, read_file(file, kMaxPolicyBytes));
  return policy_of(std::filesystem::path(file).filename().string(), text, target);
}

// Of the coordinator: the promoted one, nothing if there is none; or a version.
Result<std::optional<NamedPolicy>> policy_of_coordinator(const Client& client,
                                                         const EvaluateOptions& options) {
  const bool promoted = options.against.empty() || options.against == kPromoted;
  std::string path = "/v1/policies/" + percent_encode(options.target);
  if (!promoted) {
    path += "?version=" + options.against;
  }
  const Result<Response> answer = client.exchange("GET", path, "");
  if (!answer) {
    if (promoted && answer.error().code == ErrorCode::not_found) {
      return std::optional<NamedPolicy>();
    }
    return answer.error();
  }
  HONE_TRY(NamedPolicy made,
           policy_of(promoted ? "promoted policy" : "policy version " + options.against,
                     answer->body, options.target));
  return std::optional(std::move(made));
}

bool is_version(std::string_view text) {
  return !text.empty() && text.size() < 19 && text.front() != '0' &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<std::optional<NamedPolicy>> current_policy(const Client* client,
                                                  const EvaluateOptions& options) {
  if (options.against == kBaseline) {
    return std::optional<NamedPolicy>();
  }
  if (!options.against.empty() && options.against != kPromoted && !is_version(options.against)) {
    HONE_TRY(NamedPolicy made, policy_in_file(options.against, options.target));
    return std::optional(std::move(made));
  }
  if (client == nullptr) {
    return fail(ErrorCode::invalid_argument,
                "--buffer asks no coordinator which policy is in force: --against must be a file "
                "or \"baseline\"");
  }
  return policy_of_coordinator(*client, options);
}

PolicyProbabilities always(std::size_t action, std::size_t actions) {
  std::vector<double> chances(actions, 0.0);
  chances[action] = 1;
  return [chances](std::span<const double>) { return chances; };
}

std::string not_in_log(const NamedPolicy& policy, const TargetLog& log) {
  return fmt::format(
      "the log has no candidate with the rules of {} ({} decisions with a known "
      "propensity, {} without)",
      policy.name, log.rows(), log.without_propensity());
}

// Fresh pairs of both; nothing where one was not measured on such.
std::optional<OffPolicyEstimate> fresh_difference(const TargetLog& log, std::size_t made,
                                                  std::optional<std::size_t> current) {
  std::optional<OffPolicyEstimate> fresh = pooled(log.rules(made).confirmed);
  if (!fresh || !current) {
    return fresh;
  }
  const std::optional<OffPolicyEstimate> other = pooled(log.rules(*current).confirmed);
  return other ? std::optional(difference_of(*fresh, *other)) : std::nullopt;
}

Result<PolicyEvaluation> evaluated(const TargetLog& target, const NamedPolicy& policy,
                                   const std::optional<NamedPolicy>& current) {
  PolicyEvaluation made;
  const std::optional<std::size_t> action = target.action_of(policy.rules);
  const std::optional<std::size_t> other =
      current ? target.action_of(current->rules) : std::nullopt;
  if (!action || (current && !other)) {
    made.decision.reason = not_in_log(action ? *current : policy, target);
    return made;
  }
  const OffPolicySettings settings;
  const DecisionLog log = target.log();
  if (log.rows.size() < 2 * settings.folds) {
    made.decision.reason = fmt::format(
        "the log has {} decisions with a known propensity, fewer than {}: nothing can be estimated",
        log.rows.size(), 2 * settings.folds);
    return made;
  }
  std::optional<PolicyProbabilities> rival;
  if (other) {
    rival = always(*other, log.actions);
  }
  HONE_TRY(made, estimate_policy(log, always(*action, log.actions), rival, settings));
  made.evidence.failures = target.rules(*action).failures;
  made.evidence.first_failure = target.rules(*action).first_failure;
  made.evidence.fresh = fresh_difference(target, *action, other);
  return made;
}

// A version of the target's policies, with what it was let through by in its card.
Result<std::int64_t> publish(const Client& client, NamedPolicy policy,
                             const PolicyEvaluation& evaluation, const std::string& target) {
  Json& card = policy.document["card"];
  if (!card.is_object()) {
    card = Json::object();
  }
  card["evaluation"] = to_json(evaluation);
  HONE_TRY(const Json answer, client.post("/v1/policies/" + percent_encode(target),
                                          Json{{"document", std::move(policy.document)}}));
  const auto version = answer.find("version");
  if (version == answer.end() || !version->is_number_integer()) {
    return fail(ErrorCode::unavailable, "the coordinator published it and told no version");
  }
  return version->get<std::int64_t>();
}

}  // namespace

Result<EvaluateOutcome> evaluate_on_target(const LearnerContext& context,
                                           const EvaluateOptions& options) {
  HONE_TRY(NamedPolicy policy, policy_in_file(options.policy, options.target));
  if (policy.is_signed && options.publish) {
    return fail(ErrorCode::conflict,
                options.policy +
                    " is signed: --publish writes what it was evaluated by into its "
                    "card, so sign the published version instead");
  }
  std::optional<Client> client;
  if (options.buffer.empty() || options.publish) {
    HONE_TRY(ClientOptions server, resolve_client_options(options.server));
    HONE_TRY(client, Client::create(std::move(server)));
  }
  HONE_TRY(const std::optional<NamedPolicy> current,
           current_policy(client ? &*client : nullptr, options));
  TargetLog log({options.target, options.baseline,
                 options.version > 0 ? std::optional(options.version) : std::nullopt});
  BufferSource source{nullptr, options.buffer};
  if (client && options.buffer.empty()) {
    source = BufferSource{&*client, {}};
  }
  ExperienceStream stream(std::move(source), "");
  HONE_CHECK(stream.read(
      [&log](const Experience& row, std::string_view) -> Result<bool> {
        HONE_CHECK(log.add(row));
        return true;
      },
      context.stop));
  EvaluateOutcome outcome;
  HONE_TRY(outcome.evaluation, evaluated(log, policy, current));
  outcome.evaluation.policy = policy.name;
  outcome.evaluation.current = current ? current->name : std::string(kBaseline);
  decide(outcome.evaluation);
  if (options.publish && outcome.evaluation.decision.publish) {
    HONE_TRY(outcome.version,
             publish(*client, std::move(policy), outcome.evaluation, options.target));
    outcome.published = fmt::format(
        "published as version {1} of {0}; `hone policy promote {0} {1}` puts it in force",
        options.target, outcome.version);
  }
  return outcome;
}

}  // namespace hone
