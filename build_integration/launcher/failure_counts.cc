#include "build_integration/launcher/failure_counts.h"

namespace hone {

bool has_failed_too_often(const StateFolder& state, const std::string& decision_hash) {
  return state.read(StateKind::failures, decision_hash).size() >= kMaxFailures;
}

void count_failure(const StateFolder& state, const std::string& decision_hash) {
  state.append(StateKind::failures, decision_hash, "x");
}

}  // namespace hone
