#include "build_integration/launcher/reason.h"

#include <array>

namespace hone {
namespace {

struct Row {
  Reason reason;
  std::string_view name;
  std::string_view words;
};

constexpr std::array kRows = {
    Row{Reason::none, "none", "tuned"},
    Row{Reason::not_a_compile, "not_a_compile", "the command does not compile to an object only"},
    Row{Reason::no_source, "no_source", "there is no source file"},
    Row{Reason::several_sources, "several_sources", "there are several input files"},
    Row{Reason::stdin_input, "stdin_input", "the source is read from standard input"},
    Row{Reason::other_language, "other_language", "the input is not C or C++ source"},
    Row{Reason::other_target, "other_target", "the target is another machine"},
    Row{Reason::other_driver, "other_driver", "the compiler runs in another driver mode"},
    Row{Reason::other_output, "other_output", "the output is not a regular file"},
    Row{Reason::level, "level", "the optimisation level is not one that rules can name"},
    Row{Reason::instrumented, "instrumented", "profiles or coverage depend on the own pipeline"},
    Row{Reason::saves_temps, "saves_temps", "intermediate files are asked for"},
    Row{Reason::records_command, "records_command", "the command line is recorded in a file"},
    Row{Reason::reports, "reports", "a report about the compiler's own work is asked for"},
    Row{Reason::disables_passes, "disables_passes", "an option takes the pipeline apart"},
    Row{Reason::user_plugin, "user_plugin", "the command loads a plugin of its own"},
    Row{Reason::already_decided, "already_decided", "the command holds a decision already"},
    Row{Reason::unusual_option, "unusual_option", "an option is not known to be harmless"},
    Row{Reason::unusual_environment, "unusual_environment",
        "an environment variable changes the command or adds an output"},
    Row{Reason::response_file, "response_file", "a response file cannot be read or is too large"},
    Row{Reason::no_policy, "no_policy", "there is no policy"},
    Row{Reason::policy_unreadable, "policy_unreadable", "the policy cannot be read"},
    Row{Reason::policy_expired, "policy_expired", "the policy has expired"},
    Row{Reason::compiler_unknown, "compiler_unknown", "the compiler does not say what it is"},
    Row{Reason::no_rule, "no_rule", "no rule of the policy matches"},
    Row{Reason::rule_says_plain, "rule_says_plain", "the rule keeps the compiler's own pipeline"},
    Row{Reason::source_changed, "source_changed",
        "the source has changed since the rule was validated"},
    Row{Reason::not_allowed, "not_allowed", "the decision is outside of the allow-list"},
    Row{Reason::knob_conflict, "knob_conflict",
        "the command sets one of the decision's knobs or switches off one of its passes"},
    Row{Reason::no_choice, "no_choice",
        "no choice is made for link time optimisation, with a profile or with a sanitizer"},
    Row{Reason::plugin_missing, "plugin_missing", "there is no pass plugin for this compiler"},
    Row{Reason::three_failures, "three_failures",
        "this decision failed three times in this build tree"},
    Row{Reason::coroutines, "coroutines",
        "the module has coroutines that this compiler's plugin cannot split"},
    Row{Reason::diagnostics, "diagnostics", "the pipeline makes the compiler print other warnings"},
    Row{Reason::output_not_held, "output_not_held",
        "the compiler's output could not be held back or passed on"},
    Row{Reason::compile_error, "compile_error", "the tuned compile ended in errors"},
    Row{Reason::crashed, "crashed", "the compiler crashed"},
    Row{Reason::timed_out, "timed_out", "the CPU limit was exceeded"},
    Row{Reason::load_failed, "load_failed", "the compiler could not load the pass plugin"},
    Row{Reason::rejected, "rejected", "the compiler did not accept the decision"},
};

const Row& row(Reason reason) {
  for (const Row& candidate : kRows) {
    if (candidate.reason == reason) {
      return candidate;
    }
  }
  return kRows.front();
}

}  // namespace

std::string_view to_string(Reason reason) {
  return row(reason).name;
}
std::string_view describe(Reason reason) {
  return row(reason).words;
}

bool is_failure(Reason reason) {
  return reason == Reason::crashed || reason == Reason::timed_out ||
         reason == Reason::load_failed || reason == Reason::rejected;
}

}  // namespace hone
