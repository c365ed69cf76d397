#include "common/policy/policy.h"

#include "common/pipelines/forest.h"

namespace hone {

bool is_plain(const Decision& decision) {
  return decision.choice.empty() && decision.knobs.empty() && is_default(decision.pipeline);
}

}  // namespace hone
