#include "build_integration/launcher/launch.h"

#include <fcntl.h>
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

  // Without a standard error there is nothing to hold back; memfd_create would become it.
  Result<HeldStderr> held = ::fcntl(STDERR_FILENO, F_GETFD) >= 0
                                ? HeldStderr::create()
                                : fail(ErrorCode::unavailable, "standard error is closed");
  TunedEnd end;
  std::string messages;
  if (held.has_value()) {
    end = run_tuned({choice.arguments, choice.cpu_limit_seconds}, *held);
    messages = held->text();
  }
  if (end.caught_signal != 0) {
    // A group's signal reaches the compiler from its sender and from us: the second may end it
    // before it has removed what the first told it to.
    remove_leftovers(choice.command.output, end.started_at);
    return die_by(end.caught_signal);
  }
  const int killed_by = end.started && WIFSIGNALED(end.wait_status) ? WTERMSIG(end.wait_status) : 0;
  if (!end.over_limit && is_from_outside(killed_by)) {
    return die_by(killed_by);
  }
  Reason reason = judge(end, messages, choice.compiler.family);
  if (reason == Reason::rejected && is_about_users_knob(messages, choice.command.user_knobs)) {
    reason = Reason::compile_error;
  }
  if (reason == Reason::crashed || reason == Reason::timed_out) {
    // Whoever was killed outright, be it only a child of the driver, could not clean up.
    remove_leftovers(choice.command.output, end.started_at);
  }
  if (reason == Reason::none && !exists(choice.command.output)) {
    reason = Reason::load_failed;  // success without an object: nothing that a compiler does
  }
  record.cpu_seconds = end.cpu_seconds;
  record.reason = reason;
  if (reason == Reason::none) {
    record.compiled = "tuned";
    if (!choice.decision.choice.empty() && state.exists() && names_itself(choice.command)) {
      record.choice = chosen_member(choice.command.output);
    }
    held->replay();
    log_compile(state, record);
    return 0;
  }
  if (reason == Reason::coroutines || reason == Reason::diagnostics) {
    state.write(StateKind::untunable, choice.untunable_key, to_string(reason));
  }
  if (is_failure(reason)) {
    record.failure = reason;
    if (settings.on_failure == OnFailure::error) {
      record.compiled = "failed";
      log_compile(state, record);
      return report_failure(choice, reason, describe_end(end), messages);
    }
    count_failure(state, choice.decision_hash);
  }
  log_compile(state, record);
  return exec_plain(plain_command);
}

}  // namespace hone
