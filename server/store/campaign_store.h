// Campaigns, their candidate sets and candidates, and the steps of a campaign's life.
//
//   waiting -> racing -> confirming -> finished,  each of the first three -> cancelled | failed
//
// Each step is one transaction that first checks the state it starts from: a step made twice, or by
// two coordinators, is a conflict the second time, never done twice. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/campaign.h"
#include "common/protocol/candidate.h"
#include "server/store/async.h"
#include "server/store/idempotency.h"
#include "server/store/page.h"
#include "server/store/policy_store.h"
#include "server/store/reader.h"

namespace hone {

// The origin of the candidate that is the policy in force, measured again before a winner may take
// its place. honed alone gives it.
inline constexpr std::string_view kCurrentPolicy = "current-policy";

struct CreatedCampaign {
  CampaignView view;
  bool replayed = false;  // the idempotency key was known: this is the campaign made then
};

struct CampaignFilter {
  std::optional<std::string> target = std::nullopt;  // name
  std::optional<CampaignState> state = std::nullopt;
  Reader reader{};
};

struct AddedCandidate {
  std::string id;
  std::int64_t index = 0;
};

struct AddedCandidateSet {
  std::string id;
  std::vector<AddedCandidate> candidates;  // by index
  std::vector<std::string> jobs;  // race jobs, of the first candidates that the budget allows
  bool replayed = false;          // the key was known: this is the earlier answer
};

// What a candidate's job has come to.
struct CandidateJob {
  std::string id;
  JobState state = JobState::queued;
  bool late = false;               // dead because the deadline passed
  std::optional<Outcome> outcome;  // set with state done
  std::string reason;
  std::optional<Verdict> verdict;
  std::optional<RewardEstimate> reward;
};

struct CandidateView {
  Candidate candidate;
  std::string set;                       // id
  std::optional<CandidateJob> race;      // absent: the budget was used up
  std::optional<CandidateJob> confirm;   // absent: not chosen for confirmation
  std::optional<std::int64_t> finalist;  // its place among those that the proposer named, from 1
};

// A campaign that waits for the controller: its race is over (and no further set is waited for), or
// a confirm job ended, or none was submitted yet. While a job of it is leased it does not wait,
// even if that is being cancelled: what a heat has measured when the time is up still counts. Past
// its deadline, one that waits for candidates or for its proposer is due, too; and one whose
// proposer was silent for so long as it is waited for, be it for the first set.
struct DueCampaign {
  std::string id;
  std::string target;
  CampaignState state = CampaignState::racing;  // or waiting, confirming
  BaselineKind baseline = BaselineKind::o3;
  bool time_is_up = false;  // racing: the budget's seconds are over, jobs may still be unfinished
  std::string late;         // its deadline, RFC 3339, once that has passed; else empty
};

// How a race ended.
enum class RaceEnd {
  measured,  // all of its jobs are over
  stopping,  // its time was up: some are leased still, or were cancelled just now
};

class CampaignStore {
 public:
  explicit CampaignStore(PgPool& pool) : pool_(pool) {}

  // Starts a campaign on the newest version of its target. invalid_argument at /target if that is
  // not registered; conflict if the key was used with another body. `created_by` is a token's id;
  // `traceparent` goes with every lease of its jobs.
  Async<CreatedCampaign> create(CampaignRequest request, std::optional<IdempotencyKey> key,
                                std::string created_by, std::string traceparent = {});

  // Stores a set with its candidates and makes race jobs for as many as the budget of candidates
  // still allows; waiting becomes racing. ids in `set` are ignored; indices must be 0..n-1 in order
  // (invalid_argument at /candidates/<i>/index). not_found; conflict unless waiting or racing, if
  // the budget is used up, if it is closed or late, or if the key was used with another body.
  // `proposed_by` is a token's id, whose key it is.
  Async<AddedCandidateSet> add_candidate_set(std::string campaign, CandidateSet set,
                                             std::optional<IdempotencyKey> key = std::nullopt,
                                             std::string proposed_by = {});

  // not_found.
  Async<CampaignView> find(std::string id);
  // Newest first.
  Async<Page<CampaignView>> list(CampaignFilter filter, PageRequest page);
  // All candidates with their jobs, set after set, by index. not_found.
  Async<std::vector<CandidateView>> candidates(std::string campaign);
  // One of them. not_found.
  Async<CandidateView> candidate(std::string id);

  // Takes no further candidate sets: it is confirmed as soon as what there is has been raced.
  // Closed already: no change. conflict unless racing; not_found.
  Async<CampaignView> close(std::string id);
  // Says which candidates are to be confirmed, best first, in place of what was said before.
  // invalid_argument at /candidates/<i> for one that is not the campaign's; conflict unless racing;
  // not_found.
  Async<CampaignView> name_finalists(std::string id, std::vector<std::string> candidates);
  // Cancels the campaign and its unfinished jobs; results stay. Cancelled already: no change.
  // finished or failed: conflict. not_found.
  Async<CampaignView> cancel(std::string id);

  // For the controller. Campaigns that can go on, oldest first.
  Async<std::vector<DueCampaign>> due();
  // racing -> confirming. If its time is up, race jobs not done yet are cancelled (leased ones as
  // JobStore::cancel says), and it is due again when they have answered. conflict in any other
  // state, and if it is not due any more, which due() said a moment ago: a set came, or a job was
  // queued again. not_found.
  Async<RaceEnd> begin_confirming(std::string id);
  // waiting -> failed: its proposer sent no set in time. conflict in any other state, and if it is
  // not due; not_found.
  Async<void> stop_waiting(std::string id);
  // The policy in force as a candidate of origin kCurrentPolicy, which has no race job and is
  // nobody's finalist; gives its id. One that is there already is given again, whatever it holds.
  // conflict unless confirming; not_found.
  Async<std::string> add_current_policy(std::string id, Candidate candidate);
  // A confirm job for one of the campaign's candidates; gives its id. One that exists already is
  // given again. conflict unless confirming, and past the deadline; not_found if there is no such
  // campaign or candidate in it.
  Async<std::string> submit_confirm(std::string id, std::string candidate);
  // confirming -> finished with a winner, whose confirm job must be done with a reward (else
  // conflict), and whose policy is published in the same transaction: both or neither.
  // policy.target, campaign and candidate are filled in here. conflict while a job is unfinished.
  Async<CampaignView> finish_with_winner(std::string id, std::string candidate, NewPolicy policy);
  // racing or confirming -> finished without a winner: a normal end, with the reason for people.
  // conflict while a job is unfinished.
  Async<CampaignView> finish_without_winner(std::string id, std::string reason);
  // Any unfinished state -> failed. Jobs not done yet are cancelled.
  Async<CampaignView> fail(std::string id, std::string reason);

 private:
  PgPool& pool_;
};

}  // namespace hone
