#include "server/campaigns/winning_policy.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "common/policy/scope.h"

namespace hone {
namespace {

std::string provenance(const Candidate& candidate, const JobView& confirm) {
  std::string text = fmt::format("campaign {}, candidate {}", confirm.campaign, candidate.id);
  if (!candidate.origin.empty()) {
    text += fmt::format(" ({}{}{})", candidate.origin, candidate.note.empty() ? "" : ": ",
                        candidate.note.substr(0, 256));
  }
  if (confirm.reward) {
    text += fmt::format(", reward {:+.5f} [{:+.5f}, {:+.5f}] over {} pairs against {}",
                        confirm.reward->value, confirm.reward->low, confirm.reward->high,
                        confirm.reward->pairs, to_string(confirm.baseline));
  }
  return text;
}

}  // namespace

std::string compiler_version(const std::string& first_line) {
  static constexpr std::string_view kWord = "version ";
  const std::size_t at = first_line.find(kWord);
  if (at == std::string::npos) {
    return "";
  }
  const std::size_t begin = at + kWord.size();
  const std::size_t end =
      std::min(first_line.find_first_not_of("0123456789.", begin), first_line.size());
  return first_line.substr(begin, end - begin);
}

Policy winning_policy(const TargetSpec& target, const Candidate& candidate, const JobView& confirm,
                      std::int64_t now, const std::string& compared) {
  Policy policy;
  policy.target = target.name;
  policy.sequence = 1;  // the store gives the next one
  policy.created_at = now;
  policy.commit = target.source.git ? target.source.git->commit : "";
  policy.provenance = provenance(candidate, confirm);
  if (!compared.empty()) {
    policy.provenance += "; " + compared;
  }
  std::set<std::string> sources;
  if (confirm.result) {
    policy.compiler.version = compiler_version(confirm.result->toolchain.compiler);
    const std::string& version = policy.compiler.version;
    std::from_chars(version.data(), version.data() + version.size(), policy.compiler.major);
    for (const EffectiveDecision& decision : confirm.result->decisions) {
      sources.insert(decision.source);
    }
  }
  policy.rules = plain_rules_outside(target.tune.include, target.tune.exclude, sources);
  policy.rules.insert(policy.rules.end(), candidate.rules.begin(), candidate.rules.end());
  return policy;
}

}  // namespace hone
