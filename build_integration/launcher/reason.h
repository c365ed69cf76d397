// Why a compile was not tuned: a closed set, one counter each. The spelling is what the log, the
// statistics and --explain show. Thread safe.
#pragma once

#include <string_view>

namespace hone {

enum class Reason {
  none,  // tuned

  // The command is nothing to tune.
  not_a_compile,        // preprocess, dependencies, assembler text, link, query, several modes
  no_source,            // nothing to compile
  several_sources,      // one call for several objects
  stdin_input,          // the source comes through a pipe
  other_language,       // not C or C++ (assembler, IR, CUDA, Objective-C, a header)
  other_target,         // not for this machine
  other_driver,         // clang-cl and the like
  other_output,         // not a regular file
  level,                // an optimisation level that no rule can name
  instrumented,         // profiles or coverage: the pipeline is part of their format
  saves_temps,          // the compile is split over several processes or files
  records_command,      // -MJ: our options would stand in the user's compilation database
  reports,              // the user asks what the compiler's own pipeline does
  disables_passes,      // the user has taken the pipeline apart
  user_plugin,          // the user's own passes
  already_decided,      // our options are there already: a launcher within a launcher
  unusual_option,       // an option whose effect on all this is not known
  unusual_environment,  // a variable that changes the command or adds an output
  response_file,        // an @file that cannot be taken apart

  // The policy says nothing, or nothing that holds here.
  no_policy,  // of log_without_policy alone
  policy_unreadable,
  policy_expired,
  compiler_unknown,  // neither clang nor GCC answered
  no_rule,
  rule_says_plain,  // default<...> and no knobs
  source_changed,   // since the rule was validated, and the rule says plain then
  not_allowed,      // outside of the compiled-in allow-list
  knob_conflict,    // the user sets the same knob, or switches a named pass off
  no_choice,        // a choice (common/choice) is not made in such a compile
  plugin_missing,

  // Known from an earlier compile of this build tree.
  three_failures,

  // Found out by trying. The last four are failures (see HONE_ON_FAILURE).
  coroutines,       // the module has coroutines that cannot be split around a pipeline of ours
  diagnostics,      // the pipeline made the compiler warn where its own might not
  output_not_held,  // what the compiler writes could not be held back or passed on
  compile_error,    // the tuned compile ended in errors; whose, the plain one shows
  crashed,
  timed_out,    // the CPU limit
  load_failed,  // the compiler could not load the plugin
  rejected,     // the compiler or the plugin did not accept the decision
};

std::string_view to_string(Reason reason);

// Whether it is one of crashed, timed_out, load_failed, rejected.
bool is_failure(Reason reason);

// The same in a few words for people, "the CPU limit was exceeded".
std::string_view describe(Reason reason);

}  // namespace hone
