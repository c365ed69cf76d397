#include "server/campaigns/confirmation.h"

#include <algorithm>
#include <tuple>

#include "common/stats/normal.h"

namespace hone {
namespace {

bool is_over(JobState state) {
  return state == JobState::done || state == JobState::dead || state == JobState::cancelled;
}

bool has_reward(const CandidateView& view) {
  return view.race && view.race->outcome == Outcome::ok && view.race->reward;
}

// A measurement that was reused is the same to the last bit.
void keep_few_different(std::vector<const CandidateView*>& best) {
  const auto repeated =
      std::ranges::unique(best, [](const CandidateView* a, const CandidateView* b) {
        return *a->race->reward == *b->race->reward;
      });
  best.erase(repeated.begin(), repeated.end());
  if (best.size() > kMaxFinalists) {
    best.resize(kMaxFinalists);
  }
}

std::vector<const CandidateView*> nominated(const std::vector<CandidateView>& candidates) {
  std::vector<const CandidateView*> named;
  for (const CandidateView& view : candidates) {
    if (view.finalist && has_reward(view)) {
      named.push_back(&view);
    }
  }
  std::ranges::sort(named, {}, [](const CandidateView* view) { return *view->finalist; });
  keep_few_different(named);
  return named;
}

std::vector<const CandidateView*> ranked(const std::vector<CandidateView>& candidates,
                                         bool (*eligible)(const CandidateJob&)) {
  std::vector<const CandidateView*> best;
  for (const CandidateView& view : candidates) {
    if (has_reward(view) && eligible(*view.race)) {
      best.push_back(&view);
    }
  }
  std::ranges::sort(best, [](const CandidateView* a, const CandidateView* b) {
    const RewardEstimate& left = *a->race->reward;
    const RewardEstimate& right = *b->race->reward;
    return std::tuple(right.low, right.value, a->candidate.id) <
           std::tuple(left.low, left.value, b->candidate.id);
  });
  keep_few_different(best);
  return best;
}

// Why there is nothing to confirm.
ConfirmationStep without_finalists(const std::vector<CandidateView>& candidates) {
  std::size_t compared = 0;
  std::string first_failure;
  for (const CandidateView& view : candidates) {
    if (!view.race) {
      continue;
    }
    if (view.race->outcome == Outcome::ok) {
      ++compared;
    } else if (first_failure.empty() && !view.race->late && !view.race->reason.empty()) {
      first_failure = (view.race->outcome ? std::string(to_string(*view.race->outcome))
                                          : std::string(to_string(view.race->state))) +
                      ": " + view.race->reason;
    }
  }
  const auto can_not_compare = [](const CandidateView& view) {
    return !view.race || view.race->state != JobState::done ||
           view.race->outcome == Outcome::baseline_failed ||
           view.race->outcome == Outcome::fetch_failed ||
           view.race->outcome == Outcome::benchmark_failed;
  };
  if (compared == 0 && std::ranges::all_of(candidates, can_not_compare)) {
    return {ConfirmationStep::Kind::failed, "",
            "no candidate could be measured" +
                (first_failure.empty() ? "" : "; the first: " + first_failure)};
  }
  return {ConfirmationStep::Kind::no_winner, "",
          "no candidate was better than the baseline in the race (" + std::to_string(compared) +
              " measured)"};
}

}  // namespace

std::vector<const CandidateView*> finalists(const std::vector<CandidateView>& candidates) {
  std::vector<const CandidateView*> best = nominated(candidates);
  if (best.empty()) {
    best = ranked(candidates,
                  [](const CandidateJob& race) { return race.verdict == Verdict::faster; });
  }
  if (best.empty()) {
    best = ranked(candidates, [](const CandidateJob& race) { return race.reward->low > 0; });
  }
  return best;
}

double adjusted_low(const RewardEstimate& reward, std::size_t tests) {
  const double alpha = 1 - reward.confidence;
  const double widened = normal_quantile(1 - alpha / (2 * static_cast<double>(tests))) /
                         normal_quantile(1 - alpha / 2);
  return reward.value - (reward.value - reward.low) * widened;
}

ConfirmationStep next_step(const std::vector<CandidateView>& candidates) {
  const std::vector<const CandidateView*> chosen = finalists(candidates);
  if (chosen.empty()) {
    return without_finalists(candidates);
  }
  for (const CandidateView* view : chosen) {
    if (!view->confirm) {
      return {ConfirmationStep::Kind::submit, view->candidate.id, ""};
    }
    const CandidateJob& confirm = *view->confirm;
    if (!is_over(confirm.state)) {
      return {ConfirmationStep::Kind::wait, view->candidate.id, ""};
    }
    const bool faster = confirm.outcome == Outcome::ok && confirm.verdict == Verdict::faster &&
                        confirm.reward && adjusted_low(*confirm.reward, chosen.size()) > 0;
    if (faster) {
      return {ConfirmationStep::Kind::win, view->candidate.id, ""};
    }
  }
  return {ConfirmationStep::Kind::no_winner, "",
          chosen.size() == 1
              ? "the best candidate of the race was not confirmed on fresh measurements"
              : "none of the " + std::to_string(chosen.size()) +
                    " best candidates of the race was confirmed on fresh measurements"};
}

std::string deadline_reason(const std::string& deadline) {
  return "deadline: it was not done by " + deadline;
}

ConfirmationStep step_when_late(ConfirmationStep step, const std::string& deadline) {
  switch (step.kind) {
    case ConfirmationStep::Kind::wait:
    case ConfirmationStep::Kind::win:
      break;
    case ConfirmationStep::Kind::submit:
      return {ConfirmationStep::Kind::no_winner, "",
              deadline_reason(deadline) + "; what was best in the race was not confirmed by then"};
    case ConfirmationStep::Kind::no_winner:
    case ConfirmationStep::Kind::failed:
      step.reason = deadline_reason(deadline) + "; " + step.reason;
      break;
  }
  return step;
}

}  // namespace hone
