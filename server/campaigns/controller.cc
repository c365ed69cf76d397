#include "server/campaigns/controller.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/log.h"
#include "common/policy/policy_json.h"
#include "server/campaigns/confirmation.h"
#include "server/campaigns/succession.h"
#include "server/campaigns/winning_policy.h"

namespace hone {
namespace {

// Whether trying again later can help; everything else would fail for ever.
bool is_passing(ErrorCode code) {
  return code == ErrorCode::unavailable || code == ErrorCode::timed_out ||
         code == ErrorCode::io_failed;
}

const CandidateView* find_current(const std::vector<CandidateView>& candidates) {
  const auto current = std::ranges::find_if(candidates, [](const CandidateView& view) {
    return view.candidate.origin == kCurrentPolicy;
  });
  return current == candidates.end() ? nullptr : &*current;
}

// Has the policy in force measured beside the winner, where the target has one: gives whether. Past
// the deadline it is too late for that, and the campaign ends.
Async<bool> measure_current(Store& store, const DueCampaign& due) {
  Result<PolicyDocument> promoted = co_await store.policies().find_promoted(due.target);
  if (!promoted && promoted.error().code == ErrorCode::not_found) {
    co_return false;
  }
  HONE_CO_TRY(const PolicyDocument document, std::move(promoted));
  Candidate current;
  current.note = "policy version " + std::to_string(document.version.version);
  if (!due.late.empty()) {
    const Result<CampaignView> ended = co_await store.campaigns().finish_without_winner(
        due.id, deadline_reason(due.late) + "; " + current.note +
                    " in force was not measured by then, so nothing beat it");
    HONE_CO_CHECK(ended);
    co_return true;
  }
  const Result<ParsedPolicy> parsed = parse_policy(document.document);
  if (!parsed) {
    // Perhaps a newer honed's: it stays, since nobody here can tell whether it was beaten.
    const Result<CampaignView> ended = co_await store.campaigns().finish_without_winner(
        due.id, current.note +
                    " in force cannot be read, so nothing beat it: " + parsed.error().describe());
    HONE_CO_CHECK(ended);
    co_return true;
  }
  current.rules = parsed->policy.rules;
  Result<std::string> added = co_await store.campaigns().add_current_policy(due.id, current);
  HONE_CO_TRY(const std::string id, std::move(added));
  const Result<std::string> job = co_await store.campaigns().submit_confirm(due.id, id);
  HONE_CO_CHECK(job);
  log_info("current_policy_measured",
           {{"campaign", due.id}, {"version", document.version.version}, {"job", *job}});
  co_return true;
}

// Publishes the winner's policy and ends the campaign, in one transaction of the store.
Async<void> finish(Store& store, const DueCampaign& due, const CandidateView& winner,
                   const std::string& compared) {
  Result<JobView> found = co_await store.jobs().find(winner.confirm->id, SampleDetail::leave_out);
  HONE_CO_TRY(const JobView confirm, std::move(found));
  Result<TargetRecord> target = co_await store.targets().find(due.target);
  HONE_CO_TRY(const TargetRecord record, std::move(target));
  NewPolicy policy;
  policy.document = dump_json(policy_to_json(
      winning_policy(record.spec, winner.candidate, confirm, std::time(nullptr), compared)));
  Result<CampaignView> finished =
      co_await store.campaigns().finish_with_winner(due.id, winner.candidate.id, std::move(policy));
  HONE_CO_TRY(const CampaignView view, std::move(finished));
  log_info("campaign_finished",
           {{"campaign", due.id},
            {"target", due.target},
            {"winner", winner.candidate.id},
            {"reward", winner.confirm->reward ? winner.confirm->reward->value : 0.0},
            {"policy_version", view.policy_version.value_or(0)},
            {"compared", compared}});
  co_return Result<void>();
}

// The winner beat the baseline; where a policy is in force, it must beat that, too.
Async<void> succeed(Store& store, const DueCampaign& due,
                    const std::vector<CandidateView>& candidates, const CandidateView& winner) {
  const CandidateView* const current = find_current(candidates);
  if (current == nullptr || !current->confirm) {
    Result<bool> measured = co_await measure_current(store, due);
    HONE_CO_TRY(const bool is_rival, std::move(measured));
    if (is_rival) {
      co_return Result<void>();  // due again when it has been measured, or at its end
    }
    const Result<void> finished = co_await finish(store, due, winner, "");
    co_return finished;
  }
  const SuccessionStep step = decide_succession(winner, *current, finalists(candidates).size());
  if (step.kind == SuccessionStep::Kind::wait) {
    co_return Result<void>();
  }
  if (step.kind == SuccessionStep::Kind::publish) {
    const Result<void> finished = co_await finish(store, due, winner, step.reason);
    co_return finished;
  }
  const Result<CampaignView> ended =
      co_await store.campaigns().finish_without_winner(due.id, step.reason);
  HONE_CO_CHECK(ended);
  log_info("campaign_finished", {{"campaign", due.id}, {"reason", step.reason}});
  co_return Result<void>();
}

Async<void> confirm(Store& store, const DueCampaign& due) {
  Result<std::vector<CandidateView>> found = co_await store.campaigns().candidates(due.id);
  HONE_CO_TRY(const std::vector<CandidateView> candidates, std::move(found));
  ConfirmationStep step = next_step(candidates);
  if (!due.late.empty()) {
    step = step_when_late(std::move(step), due.late);
  }
  switch (step.kind) {
    case ConfirmationStep::Kind::wait:
      break;
    case ConfirmationStep::Kind::submit: {
      const Result<std::string> job =
          co_await store.campaigns().submit_confirm(due.id, step.candidate);
      HONE_CO_CHECK(job);
      log_info("confirm_submitted",
               {{"campaign", due.id}, {"candidate", step.candidate}, {"job", *job}});
      break;
    }
    case ConfirmationStep::Kind::win: {
      const auto winner = std::ranges::find_if(candidates, [&](const CandidateView& view) {
        return view.candidate.id == step.candidate;
      });
      const Result<void> finished = co_await succeed(store, due, candidates, *winner);
      HONE_CO_CHECK(finished);
      break;
    }
    case ConfirmationStep::Kind::no_winner: {
      const Result<CampaignView> ended =
          co_await store.campaigns().finish_without_winner(due.id, step.reason);
      HONE_CO_CHECK(ended);
      log_info("campaign_finished", {{"campaign", due.id}, {"reason", step.reason}});
      break;
    }
    case ConfirmationStep::Kind::failed: {
      const Result<CampaignView> ended = co_await store.campaigns().fail(due.id, step.reason);
      HONE_CO_CHECK(ended);
      log_warning("campaign_failed", {{"campaign", due.id}, {"reason", step.reason}});
      break;
    }
  }
  co_return Result<void>();
}

Async<void> take_step(Store& store, const DueCampaign& due) {
  if (due.state == CampaignState::waiting && due.late.empty()) {
    const Result<void> stopped = co_await store.campaigns().stop_waiting(due.id);
    HONE_CO_CHECK(stopped);
    log_warning("campaign_without_proposer", {{"campaign", due.id}});
    co_return Result<void>();
  }
  if (due.state == CampaignState::racing && due.late.empty()) {
    const Result<RaceEnd> begun = co_await store.campaigns().begin_confirming(due.id);
    HONE_CO_CHECK(begun);
    log_info("campaign_confirming", {{"campaign", due.id}, {"time_is_up", due.time_is_up}});
    if (*begun == RaceEnd::stopping) {
      co_return Result<void>();  // due again when the last of its race jobs has answered
    }
  }
  const Result<void> confirmed = co_await confirm(store, due);
  co_return confirmed;
}

}  // namespace

Async<void> advance_campaign(Store& store, DueCampaign due) {
  Result<void> step;
  try {
    step = co_await take_step(store, due);
  } catch (const std::exception& error) {
    // Stored in words that this release does not know, perhaps by a newer one, which goes on with
    // it: neither that campaign nor the others are to end for it.
    co_return fail(ErrorCode::internal, std::string("it cannot be read: ") + error.what());
  }
  if (step.has_value() || step.error().code == ErrorCode::conflict) {
    // A conflict: cancelled meanwhile, or not due any more, or another coordinator was first.
    co_return Result<void>();
  }
  if (is_passing(step.error().code)) {
    co_return step;
  }
  log_error("campaign_failed", {{"campaign", due.id}, {"reason", step.error().describe()}});
  const Result<CampaignView> failed =
      co_await store.campaigns().fail(due.id, "honed could not go on: " + step.error().message);
  HONE_CO_CHECK(failed);
  co_return Result<void>();
}

boost::asio::awaitable<void> run_campaigns(Store& store, Background& background,
                                           std::chrono::milliseconds interval) {
  while (!background.stopping()) {
    const std::uint64_t mark = store.notifications().mark(Channel::campaigns);
    const Result<std::vector<DueCampaign>> due = co_await store.campaigns().due();
    bool trouble = !due.has_value();
    if (due.has_value()) {
      for (const DueCampaign& campaign : *due) {
        const Result<void> advanced = co_await advance_campaign(store, campaign);
        if (!advanced.has_value()) {
          trouble = true;
          log_warning("campaign_step_failed",
                      {{"campaign", campaign.id}, {"reason", advanced.error().message}});
        }
      }
    }
    if (trouble) {
      co_await background.sleep(interval);
    } else if (!background.stopping()) {
      co_await store.notifications().wait(Channel::campaigns, mark, interval);
    }
  }
}

}  // namespace hone
