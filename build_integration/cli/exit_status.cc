#include "build_integration/cli/exit_status.h"

namespace hone {

int exit_status(const CampaignView& campaign) {
  switch (campaign.state) {
    case CampaignState::cancelled:
      return kExitCancelled;
    case CampaignState::failed:
      return kExitFailed;
    case CampaignState::waiting:
    case CampaignState::racing:
    case CampaignState::confirming:
    case CampaignState::finished:
      break;
  }
  if (!campaign.winner_candidate.empty()) {
    return kExitOk;
  }
  const bool all_failed = campaign.finished > 0 && campaign.failed == campaign.finished;
  return all_failed ? kExitFailed : kExitNoGain;
}

int exit_status(const JobView& job) {
  if (job.state == JobState::cancelled || job.outcome == Outcome::cancelled) {
    return kExitCancelled;
  }
  if (job.late || job.state == JobState::queued || job.state == JobState::leased) {
    return kExitLate;
  }
  if (job.state != JobState::done || job.outcome != Outcome::ok) {
    return kExitFailed;
  }
  return job.verdict == Verdict::faster ? kExitOk : kExitNoGain;
}

const std::string_view kExitCodesHelp =
    "Exit codes: 0 done (tune, job wait: a gain was confirmed), 10 measured but no gain found, "
    "11 failed with an\n"
    "outcome other than ok, 12 job wait: the time was up before there was a result (--timeout, or "
    "the job's deadline),\n"
    "2 bad input, 3 not allowed, 4 not found, 5 conflict, 6 server not reachable, timed out or "
    "asked for more than\n"
    "it allows now, 130 cancelled, 1 everything else (report --verify: the measurements disagree).";

}  // namespace hone
