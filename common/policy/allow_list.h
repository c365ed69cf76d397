// What a decision may hold at all: passes, parameters and knobs of the compiled-in tables.
//
// Everything else (a plugin, a file name, an output option, a pass known to break code) is refused
// when a policy is compiled, and means the plain command if it reaches the launcher all the same.
// Thread safe.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "common/choice/choice_model.h"
#include "common/policy/policy.h"

namespace hone {

// invalid_argument names the pass or knob and why; unsupported if there are no tables for the
// compiler. A decision without knobs whose pipeline is default<...> is allowed for any compiler. Of
// a choice every member is checked; only clang 19 makes one.
Result<void> check_decision(const Decision& decision, std::string_view compiler_family,
                            int compiler_major);

// A member of a choice as a decision.
Decision decision_of(const ChoiceMember& member);

}  // namespace hone
