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

// The newest canary of the candidate, or of one with the same rules; null: there was none.
const CanaryLesson* lesson_of(const Candidate& candidate, std::span<const CanaryLesson> lessons) {
  const auto found = std::ranges::find_if(lessons, [&](const CanaryLesson& lesson) {
    return lesson.tried.candidate.empty()
               ? lesson.tried.rules == candidate.rules
               : lesson.tried.candidate == candidate.id || lesson.tried.rules == candidate.rules;
  });
  return found == lessons.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Candidate> carried_over(const CampaignReport& last, std::size_t limit,
                                    std::span<const CanaryLesson> lessons) {
  const auto in_force =
      std::ranges::find_if(lessons, [](const CanaryLesson& lesson) { return lesson.in_force; });
  std::vector<const ReportRow*> good;
  bool has_in_force = false;
  for (const ReportRow& row : last.rows) {
    const RewardEstimate* const reward = race_reward(row);
    const CanaryLesson* const lesson = lesson_of(row.candidate, lessons);
    if (lesson != nullptr && lesson->withdrawn()) {
      continue;
    }
    has_in_force |= &row == last.winner() && lesson != nullptr && lesson->in_force;
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
  if (in_force != lessons.end() && !has_in_force && limit > 0) {
    Candidate candidate;
    candidate.origin = kInProduction;
    candidate.note =
        fmt::format("policy version {}, promoted by a canary", in_force->tried.version);
    candidate.log_propensity = 0;
    candidate.rules = in_force->tried.rules;
    carried.push_back(std::move(candidate));
    std::erase_if(
        good, [&](const ReportRow* row) { return row->candidate.rules == in_force->tried.rules; });
  }
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
