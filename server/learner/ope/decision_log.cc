#include "server/learner/ope/decision_log.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace hone {
namespace {

Error wrong(std::size_t row, const std::string& field, const std::string& detail) {
  return fail(ErrorCode::invalid_argument,
              "row " + std::to_string(row) + ": " + field + " " + detail);
}

}  // namespace

Result<void> check(const DecisionLog& log) {
  if (log.actions == 0 || log.actions > kMaxLoggedActions) {
    return fail(ErrorCode::invalid_argument, "a log of " + std::to_string(log.actions) +
                                                 " actions: must be 1 to " +
                                                 std::to_string(kMaxLoggedActions));
  }
  if (!log.groups.empty() && log.groups.size() != log.rows.size()) {
    return fail(ErrorCode::invalid_argument,
                "a log of " + std::to_string(log.rows.size()) + " decisions has " +
                    std::to_string(log.groups.size()) + " groups: one a decision, or none");
  }
  const std::size_t features = log.rows.empty() ? 0 : log.rows[0].features.size();
  if (features > kMaxLogFeatures) {
    return wrong(
        0, "features",
        "are " + std::to_string(features) + ", more than " + std::to_string(kMaxLogFeatures));
  }
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    const LoggedDecision& row = log.rows[i];
    if (row.features.size() != features) {
      return wrong(i, "features",
                   "are " + std::to_string(row.features.size()) + ", not " +
                       std::to_string(features) + " as in row 0");
    }
    if (!std::ranges::all_of(row.features, [](double x) { return std::isfinite(x); })) {
      return wrong(i, "features", "hold a number that is not finite");
    }
    if (row.action >= log.actions) {
      return wrong(i, "action",
                   std::to_string(row.action) + " is none of " + std::to_string(log.actions));
    }
    if (!std::isfinite(row.log_propensity) || row.log_propensity > 0) {
      return wrong(i, "log_propensity",
                   std::to_string(row.log_propensity) +
                       " is not the logarithm of a probability: must be "
                       "finite and at most 0");
    }
    if (!std::isfinite(row.reward)) {
      return wrong(i, "reward", "is not finite; a failure is an outcome and no row of this log");
    }
  }
  return {};
}

}  // namespace hone
