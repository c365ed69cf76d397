// Decisions that failed in this build tree: after three failures every file with that decision is
// compiled plain, until `hone-cc --reset`. Thread safe.
#pragma once

#include <string>

#include "build_integration/launcher/state_folder.h"

namespace hone {

inline constexpr std::size_t kMaxFailures = 3;

// Whether a decision (decision_hash) has failed too often to be tried again.
bool has_failed_too_often(const StateFolder& state, const std::string& decision_hash);

void count_failure(const StateFolder& state, const std::string& decision_hash);

}  // namespace hone
