// How the launcher was called: its own flags, then the environment. Plain values.
//
//   hone-cc [FLAGS] COMPILER ARGUMENTS...
//
// A flag beats its variable: --policy=FILE (HONE_POLICY), --root=DIR (HONE_ROOT), --state-dir=DIR
// (HONE_STATE_DIR), --on-failure=plain|error (HONE_ON_FAILURE), --plugin-dir=DIR (HONE_PLUGIN_DIR).
// --named-decisions: a command may name a policy of its own, which beats that of the flag, by
// "-Xlinker --hone-decision=FILE" (for clang between --start-no-unused-arguments and
// --end-no-unused-arguments, so that the compiler is silent about it with the launcher and
// without). HONE_LOG_WITHOUT_POLICY=1: compiles are logged although there is no policy, for a
// worker, which has to know what the product's own build compiles. Flags keep a build system from
// needing a shell or `env` between itself and the compiler.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

enum class Action { compile, explain, reset, stats, version, help };

// What a tuned compile that crashes, hangs or cannot be set up leads to.
enum class OnFailure {
  plain,  // the original command: never break a build
  error,  // exit code 70 and a line on standard error: for workers and reproducible releases
};

struct Settings {
  Action action = Action::compile;
  std::string policy;      // empty: everything is plain
  std::string root;        // empty: the folder of the policy
  std::string state_dir;   // empty: nothing is kept
  std::string plugin_dir;  // empty: beside the launcher
  OnFailure on_failure = OnFailure::plain;
  bool log_without_policy = false;
  bool named_decisions = false;
  // HONE_TEST_FORCE_PLUGIN=1: run default<...> through the plugin too, to compare the objects.
  bool force_plugin = false;
  int command = 0;  // where COMPILER stands in argv; argc if there is none
};

// invalid_argument for a flag that is not known or has a wrong value, or if a compiler is missing.
Result<Settings> read_settings(int argc, const char* const* argv);

}  // namespace hone
