#include "server/canaries/staged_policy.h"

#include "common/protocol/fields.h"
#include "common/protocol/reward_estimate.h"
#include "common/protocol/rules.h"

namespace hone {
namespace {

Json staging_of(const CandidateView& candidate, BaselineKind baseline) {
  for (const auto& [stage, job] :
       {std::pair("confirm", &candidate.confirm), std::pair("race", &candidate.race)}) {
    if (*job && (*job)->outcome == Outcome::ok && (*job)->reward) {
      return {
          {"stage", stage}, {"baseline", spelling(baseline)}, {"reward", to_json(*(*job)->reward)}};
    }
  }
  return {};
}

}  // namespace

Async<StagedPolicy> staged_policy(Store& store, std::string target, std::int64_t version) {
  Result<PolicyDocument> found = co_await store.policies().find_version(target, version);
  HONE_CO_TRY(const PolicyDocument policy, std::move(found));
  HONE_CO_TRY(const Json document, parse_json(policy.document));
  StagedPolicy staged;
  staged.version = version;
  staged.campaign = policy.version.campaign;
  staged.candidate = policy.version.candidate;
  staged.rules = document.value("rules", Json::array());
  if (staged.candidate.empty() || staged.campaign.empty()) {
    co_return staged;
  }
  // Retention may have removed them: then staging's word is not known any more.
  Result<CandidateView> known = co_await store.campaigns().candidate(staged.candidate);
  if (!known && known.error().code == ErrorCode::not_found) {
    co_return staged;
  }
  HONE_CO_TRY(const CandidateView candidate, std::move(known));
  Result<CampaignView> from = co_await store.campaigns().find(staged.campaign);
  HONE_CO_TRY(const CampaignView campaign, std::move(from));
  staged.log_propensity = null_if_absent(candidate.candidate.log_propensity);
  // As it was asked for; the policy's rules may be made out for the files that it was built of.
  staged.rules = rules_to_json(candidate.candidate.rules);
  staged.staging = staging_of(candidate, campaign.baseline);
  co_return staged;
}

Json to_json(const StagedPolicy& policy) {
  return {{"version", policy.version},
          {"campaign", null_if_empty(policy.campaign)},
          {"candidate", null_if_empty(policy.candidate)},
          {"rules", policy.rules},
          {"staging", policy.staging}};
}

}  // namespace hone
