// What is added to a compile command so that a decision takes effect: the plugin, its pipeline and
// -mllvm settings for clang, -f options and --param for GCC. The whole decision stands on the
// command line, so that an object cache behind the launcher stays right. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "build_integration/launcher/command_line.h"
#include "build_integration/launcher/compiler_identity.h"
#include "build_integration/launcher/reason.h"
#include "build_integration/launcher/settings.h"
#include "common/policy/policy.h"

namespace hone {

struct DecisionArguments {
  Reason refused = Reason::none;  // none: `arguments` are to be added
  std::string detail;
  std::vector<std::string> arguments;
};

// The decision must have passed check_decision() for the compiler. Refuses with knob_conflict where
// the user sets one of the decision's knobs or switches off a pass of its pipeline, with
// instrumented where a profile is read that a pipeline of ours cannot follow, with no_choice where
// a choice meets a profile, -flto or a sanitizer, and with plugin_missing.
DecisionArguments decision_arguments(const Settings& settings, const CommandLine& command,
                                     const CompilerIdentity& compiler, const Decision& decision);

}  // namespace hone
