#include "server/campaigns/succession.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "server/campaigns/confirmation.h"

namespace hone {
namespace {

std::string text_of(const RewardEstimate& reward) {
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", reward.value, reward.low, reward.high);
}

bool is_over(JobState state) {
  return state == JobState::done || state == JobState::dead || state == JobState::cancelled;
}

}  // namespace

RewardEstimate difference(const RewardEstimate& candidate, const RewardEstimate& current) {
  RewardEstimate made;
  made.value = candidate.value - current.value;
  made.low = made.value - std::hypot(candidate.value - candidate.low, current.high - current.value);
  made.high =
      made.value + std::hypot(candidate.high - candidate.value, current.value - current.low);
  made.confidence = std::min(candidate.confidence, current.confidence);
  made.pairs = std::min(candidate.pairs, current.pairs);
  made.detectable_effect = std::hypot(candidate.detectable_effect, current.detectable_effect);
  made.noise = std::hypot(candidate.noise, current.noise);
  return made;
}

SuccessionStep decide_succession(const CandidateView& winner, const CandidateView& current,
                                 std::size_t finalists) {
  using Kind = SuccessionStep::Kind;
  const std::string& policy = current.candidate.note;  // "policy version 3"
  const CandidateJob& job = *current.confirm;
  if (!is_over(job.state)) {
    return {Kind::wait, ""};
  }
  const RewardEstimate& gained = *winner.confirm->reward;
  if (job.state != JobState::done || !job.outcome) {
    return {Kind::keep,
            fmt::format("{} in force could not be measured ({}{}{}), so nothing beat it", policy,
                        to_string(job.state), job.reason.empty() ? "" : ": ", job.reason)};
  }
  switch (*job.outcome) {
    case Outcome::ok:
      break;
    case Outcome::build_failed:
    case Outcome::compiler_crashed:
    case Outcome::timed_out:
    case Outcome::limit_exceeded:
    case Outcome::miscompiled:
      return {Kind::publish, fmt::format("{} in force fails today ({}), the winner gains {}",
                                         policy, to_string(*job.outcome), text_of(gained))};
    default:
      return {Kind::keep, fmt::format("{} in force could not be measured ({}{}{}), so nothing beat "
                                      "it",
                                      policy, to_string(*job.outcome),
                                      job.reason.empty() ? "" : ": ", job.reason)};
  }
  if (!job.reward && job.verdict != Verdict::no_change) {
    return {Kind::keep, fmt::format("{} in force has no reward, so nothing beat it", policy)};
  }
  // Of equal binaries nothing is measured: it is the baseline.
  const RewardEstimate today = job.reward.value_or(RewardEstimate{});
  RewardEstimate widened = gained;
  widened.low = adjusted_low(gained, finalists);
  const RewardEstimate more = difference(widened, today);
  // Written so that a bound that is no number is not above 0.
  const bool surely = more.low > 0;
  return {surely ? Kind::publish : Kind::keep,
          fmt::format("on fresh pairs the winner gains {} and {} in force {}: {} more, {}",
                      text_of(gained), policy, text_of(today), text_of(more),
                      surely ? "surely" : "not surely, so that one stays")};
}

}  // namespace hone
