// Which candidates of a campaign are measured again, and which one won. Pure functions.
//
// The race picks by many noisy first looks, so its best is too good to be true (the winner's
// curse). Up to three finalists are therefore measured once more on fresh pairs, best first, one
// after the other, until one is confirmed; only that fresh value is published. With m finalists a
// confirmation must hold at alpha / m (the first step of Holm's procedure, after which we stop):
// testing three must not make a false winner three times as likely.
#pragma once

#include <string>
#include <vector>

#include "server/store/campaign_store.h"

namespace hone {

// Best first: those that the proposer named and that have a reward; if there are none, by the lower
// end of the race's interval those with verdict faster, else those whose interval lies above 0.
// Candidates that share one measurement (equal binaries) count as one.
std::vector<const CandidateView*> finalists(const std::vector<CandidateView>& candidates);

// The lower end of the interval when `tests` such intervals must hold at once: the distance from
// the estimate, widened by the ratio of the normal quantiles at alpha / tests and at alpha.
double adjusted_low(const RewardEstimate& reward, std::size_t tests);

struct ConfirmationStep {
  enum class Kind {
    wait,       // a confirm job is under way
    submit,     // measure `candidate` again
    win,        // `candidate` is confirmed faster
    no_winner,  // a normal end; `reason` says why
    failed,     // nothing could be compared at all; `reason` says why
  };
  Kind kind = Kind::wait;
  std::string candidate;  // id
  std::string reason;     // for people
};

// What a campaign whose race is over does next.
ConfirmationStep next_step(const std::vector<CandidateView>& candidates);

// Why a campaign, or a job, is over that had to be done by then (RFC 3339).
std::string deadline_reason(const std::string& deadline);
// What becomes of that step past the deadline: nothing is measured any more. Who was confirmed by
// then wins; every other end says that the deadline was the reason.
ConfirmationStep step_when_late(ConfirmationStep step, const std::string& deadline);

}  // namespace hone
