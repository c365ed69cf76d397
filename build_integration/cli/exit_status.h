// The exit codes of `hone` beyond those of errors (exit_code() in common/base/error.h): what a
// pipeline branches on after `hone tune`, `hone job wait` and `hone report`. Thread safe.
#pragma once

#include <string_view>

#include "common/protocol/campaign.h"
#include "common/protocol/job.h"

namespace hone {

inline constexpr int kExitOk = 0;           // a confirmed gain; for other commands: done
inline constexpr int kExitDisagrees = 1;    // report --verify: the two measurements differ
inline constexpr int kExitNoGain = 10;      // measured, and nothing faster was confirmed
inline constexpr int kExitFailed = 11;      // ended with an outcome other than ok
inline constexpr int kExitLate = 12;        // not measured when the time was up
inline constexpr int kExitCancelled = 130;  // cancelled, by Ctrl-C or somebody else

// Of a campaign that is over: 0 with a confirmed winner, 10 without one, 11 if it failed or every
// candidate did, 130 if it was cancelled.
int exit_status(const CampaignView& campaign);

// Of a job that is over: 0 verdict faster, 10 another verdict, 11 an outcome other than ok or no
// result at all, 12 its deadline passed before it had one, 130 cancelled. Of one that is not over,
// because no more time was to be spent on waiting: 12.
int exit_status(const JobView& job);

// What --help prints below the options.
extern const std::string_view kExitCodesHelp;

}  // namespace hone
