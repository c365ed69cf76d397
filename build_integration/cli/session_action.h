// An action as people name it. Thread safe.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/pipelines/action_space.h"

namespace hone {

inline constexpr int kSessionLlvmMajor = 19;

struct SessionAction {
  std::string pipeline;  // empty: it does nothing
  std::string remark;    // for people: why that is, or what stands in its place
};

// An action's name in `space`, CompilerGym's for one (with its dash), or a pipeline as opt -passes=
// takes it, which is not looked into. not_found and unsupported for CompilerGym's names.
Result<SessionAction> session_action(const ActionSpace& space, const std::string& text);

}  // namespace hone
