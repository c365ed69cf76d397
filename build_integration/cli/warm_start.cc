#include "build_integration/cli/warm_start.h"

#include <algorithm>

#include <fmt/format.h>

#include "build_integration/cli/reward_text.h"

namespace hone {
namespace {

const RewardEstimate* race_reward(const ReportRow& row) {
  return row.race && row.race->outcome == Outcome::ok && row.race->reward ? &*row.race->reward
                                                                          : nullptr;
}

}  // namespace

std::vector<Candidate> carried_over(const CampaignReport& last, std::size_t limit) {
  std::vector<const ReportRow*> good;
  for (const ReportRow& row : last.rows) {
    const RewardEstimate* const reward = race_reward(row);
    if (&row == last.winner() || (reward != nullptr && reward->low > 0)) {
      good.push_back(&row);
    }
  }
  // The winner may have done worse in the race than others.
  std::ranges::sort(good, [&](const ReportRow* a, const ReportRow* b) {
    if ((a == last.winner()) != (b == last.winner())) {
      return a == last.winner();
    }
    const double a_low = race_reward(*a) != nullptr ? race_reward(*a)->low : 0;
    const double b_low = race_reward(*b) != nullptr ? race_reward(*b)->low : 0;
    return a_low != b_low ? a_low > b_low : a->number < b->number;
  });
  std::vector<Candidate> carried;
  for (const ReportRow* row : good) {
    if (carried.size() == limit) {
      break;
    }
    Candidate candidate;
    candidate.index = static_cast<std::int64_t>(carried.size());
    candidate.origin = row == last.winner() ? kLastWinner : kCarriedOver;
    candidate.note = row->candidate.note;
    candidate.log_propensity = 0;
    candidate.rules = row->candidate.rules;
    carried.push_back(std::move(candidate));
  }
  return carried;
}

std::optional<std::string> drift_text(const CampaignReport& now, const CampaignReport& last) {
  const auto row = std::ranges::find(now.rows, kLastWinner, [](const ReportRow& one) {
    return std::string_view(one.candidate.origin);
  });
  if (row == now.rows.end() || row->shown() == nullptr || !last.campaign.confirmed) {
    return std::nullopt;
  }
  const JobView& job = *row->shown();
  const std::string before = percent_text(last.campaign.confirmed->value);
  if (!job.reward) {
    // An equal binary is an answer, too.
    return fmt::format("Last time's winner: {} then; now {}.", before,
                       job.verdict   ? std::string(to_string(*job.verdict))
                       : job.outcome ? std::string(to_string(*job.outcome))
                                     : std::string(to_string(job.state)));
  }
  return fmt::format("Last time's winner: {} then, {} now ({}).", before, reward_text(*job.reward),
                     to_string(job.stage));
}

}  // namespace hone
