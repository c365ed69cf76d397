// Is the canary worse than the baseline, harmless, or not to be told yet?
//
// May be asked after every window: each indicator's interval is a confidence sequence
// (common/stats), whose alpha is shared out among the indicators, so that an equal canary is called
// worse in a share alpha of all canaries at most, however often one looks. Windows are pooled with
// equal weights of both groups (sli_window.h); the standard error of the pooled log ratio is the
// jackknife's over blocks of neighbouring windows. Quantiles of both tails are compared, not ranks:
// seven points of ten at a hundred times the baseline are no pass here. Thread safe.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/canary_spec.h"
#include "common/stats/interval.h"
#include "server/rewards/sli.h"

namespace hone {

struct JudgeSettings {
  std::vector<SliRule> rules{};      // as parse_canary_spec() has them
  double alpha = 0.05;               // of calling an equal canary worse, over all rules and looks
  std::size_t planned_windows = 48;  // what detectable effects are stated for
  double power = 0.9;
};

enum class SliFinding {
  better,                // surely above 0
  harmless,              // harm of the tolerance is ruled out
  worse,                 // surely below 0, and by the floor at least
  undecided,             // neither yet
  insufficient_traffic,  // too few requests of the canary for this indicator
  no_data,               // no window in which both groups can be told
};

std::string_view to_string(SliFinding finding);

struct SliJudgement {
  SliRule rule;
  SliFinding finding = SliFinding::no_data;
  double baseline = 0;  // the indicator, pooled; 0 with no_data
  double canary = 0;
  Interval reward{};  // relative_reward(), anytime interval; infinite before it can be told
  double error = 0;   // standard error of the pooled log ratio; 0 if not known
  double detectable =
      0;  // harm found with the power asked for after the planned windows; 0 if not known
  std::size_t windows = 0;  // that count
};

struct CanaryJudgement {
  SliFinding finding = SliFinding::no_data;  // of all: the worst that decides
  std::vector<SliJudgement> slis;            // as the rules
  double baseline_requests = 0;
  double canary_requests = 0;
  std::map<WindowOutcome, std::size_t> left_out;  // windows that tell nothing, by why
  std::string reason;                             // for people
};

// invalid_argument for settings out of range, bounds that check_bounds() refuses, and counts that
// do not fit the bounds.
Result<CanaryJudgement> judge_canary(std::span<const double> bounds,
                                     std::span<const SliWindow> series,
                                     const JudgeSettings& settings);

}  // namespace hone
