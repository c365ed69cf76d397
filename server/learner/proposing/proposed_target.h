// What proposing wants to know of a registered target, as GET /v1/targets/{name} tells it. Plain
// values.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"
#include "common/protocol/source_profile.h"
#include "common/protocol/values.h"

namespace hone {

struct ProposedTarget {
  Metric metric = Metric::cpu_time;  // that its benchmark is measured by
  std::vector<std::string> include;  // names and patterns of the files that may be tuned
  // Those of them that the baseline's time goes to, the hottest first; empty while no profile is
  // known.
  std::vector<FileShare> hot;
};
// invalid_argument for an answer that is no target.
Result<ProposedTarget> parse_proposed_target(const Json& answer);

}  // namespace hone
