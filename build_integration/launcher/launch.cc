#include "build_integration/launcher/launch.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "build_integration/launcher/chosen_member.h"
#include "build_integration/launcher/compile_log.h"
#include "build_integration/launcher/failure_counts.h"
#include "build_integration/launcher/held_signal.h"
#include "build_integration/launcher/leftovers.h"
#include "build_integration/launcher/tuned_compile.h"
#include "build_integration/launcher/verdict.h"

namespace hone {
namespace {

constexpr int kExitSoftware = 70;  // EX_SOFTWARE, as clang's own crashes
constexpr std::size_t kShownBytes = 4096;

CompileRecord record_of(const Choice& choice) {
  CompileRecord record;
  record.source = choice.source;
  record.output = choice.output;
  record.pipeline_hash = choice.decision_hash;
  record.compiled = "plain";
  record.reason = choice.reason;
  record.compiler = choice.compiler.path;
  record.compiler_major = choice.compiler.major;
  record.option_fingerprint = choice.option_fingerprint;
  return record;
}

// Dies by a signal as the compiler would have.
int die_by(int signal) {
  ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  return 128 + signal;
}

bool is_from_outside(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// HONE_ON_FAILURE=error: the one place where the launcher speaks during a build.
int report_failure(const Choice& choice, Reason reason, const std::string& detail,
                   std::string_view messages) {
  std::string text = "hone-cc: ";
  text += choice.source;
  text += ": ";
  text += describe(reason);
  text += " (";
  text += to_string(reason);
  if (!choice.decision_hash.empty()) {
    text += ", pipeline " + choice.decision_hash;
  }
  text += ")";
  if (!detail.empty()) {
    text += ": " + detail;
  }
  text += '\n';
  text += messages.substr(0, kShownBytes);
  const HeldSignal no_broken_pipe(SIGPIPE);
  std::fputs(text.c_str(), stderr);
  return kExitSoftware;
}

// Whether LLVM complains about an -mllvm option that stands in the command itself.
bool is_about_users_knob(std::string_view messages, const std::vector<std::string>& user_knobs) {
  const std::size_t complaint = messages.find("(LLVM option parsing)");
  return complaint != std::string_view::npos &&
         std::ranges::any_of(user_knobs, [&](const std::string& knob) {
           return messages.find(knob, complaint) != std::string_view::npos;
         });
}

// Whether the object has a .comment: without one it does not say what was chosen.
bool names_itself(const CommandLine& command) {
  return std::ranges::none_of(command.options, [](const Option& option) {
    return option.text == "-fno-ident" || option.text == "-Qn";
  });
}

bool exists(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0;
}

bool succeeded(const TunedEnd& end) {
  return end.started && WIFEXITED(end.wait_status) && WEXITSTATUS(end.wait_status) == 0;
}

// What came of the tuned compile. `messages` is what it wrote to standard error.
Reason reason_of(const TunedEnd& end, const std::string& messages, const Choice& choice) {
  if (end.too_much) {
    return Reason::output_not_held;
  }
  const Reason reason = judge(end, messages, choice.compiler.family);
  if (reason == Reason::rejected && is_about_users_knob(messages, choice.command.user_knobs)) {
    return Reason::compile_error;
  }
  // Success without an object, and no word from the plugin: a question was answered.
  return reason == Reason::none && !exists(choice.command.output) ? Reason::not_a_compile : reason;
}

// Whether the same compile is not tried again.
bool is_remembered(Reason reason) {
  return reason == Reason::coroutines || reason == Reason::diagnostics ||
         reason == Reason::not_a_compile;
}

// A tuned object that is not to be used: should the plain command fail, no object may stay. A
// linked one stays, since the plain command would have written through the link.
void remove_object(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1) {
    ::unlink(path.c_str());
  }
}

std::string describe_end(const TunedEnd& end) {
  if (!end.started) {
    return "no child process could be made";
  }
  if (WIFSIGNALED(end.wait_status)) {
    return "signal " + std::to_string(WTERMSIG(end.wait_status));
  }
  return "exit code " + std::to_string(WEXITSTATUS(end.wait_status));
}

}  // namespace

int exec_plain(char* const* arguments) {
  ::execvp(arguments[0], arguments);
  const int reason = errno;
  std::fprintf(stderr, "hone-cc: cannot run %s: %s\n", arguments[0], std::strerror(reason));
  return reason == ENOENT ? 127 : 126;
}

int launch(const Settings& settings, const StateFolder& state, const Choice& choice,
           char* const* plain_command) {
  CompileRecord record = record_of(choice);
  if (choice.reason != Reason::none) {
    // A worker whose policy or plugin is missing must not measure the plain object as a candidate.
    if (settings.on_failure == OnFailure::error &&
        (choice.reason == Reason::policy_unreadable || choice.reason == Reason::plugin_missing)) {
      record.compiled = "failed";
      record.failure = Reason::load_failed;
      log_compile(state, record);
      return report_failure(choice, choice.reason, choice.detail, "");
    }
    if (choice.command.makes_object) {
      log_compile(state, record);
    }
    return exec_plain(plain_command);
  }

  Result<HeldOutputs> held = HeldOutputs::create();
  if (!held.has_value()) {
    record.reason = Reason::output_not_held;
    log_compile(state, record);
    return exec_plain(plain_command);
  }
  const TunedEnd end =
      run_tuned({choice.arguments, choice.cpu_limit_seconds, choice.runs_compiler}, *held);
  if (end.caught_signal != 0) {
    // A group's signal reaches the compiler from its sender and from us: the second may end it
    // before it has removed what the first told it to.
    remove_leftovers(choice.command.output, end.started_at);
    return die_by(end.caught_signal);
  }
  const bool ended_by_us = end.over_limit || end.too_much;
  const int killed_by = end.started && WIFSIGNALED(end.wait_status) ? WTERMSIG(end.wait_status) : 0;
  if (!ended_by_us && is_from_outside(killed_by)) {
    return die_by(killed_by);
  }
  const Reason reason = reason_of(end, held->messages(), choice);
  if (reason == Reason::crashed || killed_by != 0 || ended_by_us) {
    // Whoever was killed outright, be it only a child of the driver, could not clean up.
    remove_leftovers(choice.command.output, end.started_at);
  }
  record.cpu_seconds = end.cpu_seconds;
  record.reason = reason;
  if (reason == Reason::none) {
    if (held->replay().has_value()) {
      record.compiled = "tuned";
      if (!choice.decision.choice.empty() && state.exists() && names_itself(choice.command)) {
        record.choice = chosen_member(choice.command.output);
      }
      log_compile(state, record);
      return 0;
    }
    // What the compiler makes of an output that takes nothing, it shall say itself.
    record.reason = Reason::output_not_held;
  }
  if (is_remembered(reason)) {
    state.write(StateKind::untunable, choice.untunable_key, to_string(reason));
  }
  if (is_failure(reason)) {
    record.failure = reason;
    if (settings.on_failure == OnFailure::error) {
      record.compiled = "failed";
      log_compile(state, record);
      return report_failure(choice, reason, describe_end(end), held->messages());
    }
    count_failure(state, choice.decision_hash);
  }
  log_compile(state, record);
  if (succeeded(end)) {
    remove_object(choice.command.output);
  }
  return exec_plain(plain_command);
}

}  // namespace hone
