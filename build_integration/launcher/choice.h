// The launcher's decision about one command: tuned how, or plain and why. Looks at the policy, the
// compiler, the file system and what this build tree remembers; runs no compile. Thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "build_integration/launcher/command_line.h"
#include "build_integration/launcher/compiler_identity.h"
#include "build_integration/launcher/reason.h"
#include "build_integration/launcher/settings.h"
#include "build_integration/launcher/state_folder.h"
#include "common/policy/policy.h"

namespace hone {

struct Choice {
  Reason reason = Reason::none;  // none: tuned
  std::string policy;            // the index that was asked, "" if there is none
  std::string detail;            // what the reason is about: an option, an error message
  CommandLine command;
  std::string source;  // as rules name it
  std::string output;
  std::string option_fingerprint;
  CompilerIdentity compiler;
  std::int64_t rule = -1;  // position in the policy; -1: none matched
  Decision decision;
  std::string decision_hash;  // "" without a rule
  std::string untunable_key;  // under which StateKind::untunable remembers this compile
  std::int64_t cpu_limit_seconds = 0;
  std::vector<std::string> arguments;  // the whole tuned command
  bool runs_compiler = false;          // its program is a compiler itself, no script and no cache
};

// `command` is COMPILER ARGUMENTS... as they came.
Choice choose(const Settings& settings, const StateFolder& state,
              const std::vector<std::string>& command);

// Where in the command the compiler stands: 1 behind a cache such as ccache, else 0.
std::size_t compiler_position(const std::vector<std::string>& command);

}  // namespace hone
