#include "build_integration/launcher/verdict.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <initializer_list>

#include "build_integration/launcher/pass_warnings.h"

namespace hone {
namespace {

// Whether some line of `text` begins with `mark`, or with clang's words for an error in a pass and
// then `mark`.
bool has_marked_line(std::string_view text, std::string_view mark) {
  for (std::size_t at = text.find(mark); at != std::string_view::npos;
       at = text.find(mark, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') {
      return true;
    }
    if (text.substr(0, at).ends_with("error in backend: ")) {
      return true;
    }
  }
  return false;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> needles) {
  return std::ranges::any_of(needles, [&](std::string_view needle) {
    return text.find(needle) != std::string_view::npos;
  });
}

}  // namespace

Reason judge(const TunedEnd& end, std::string_view text, std::string_view compiler_family) {
  if (!end.started) {
    return Reason::load_failed;
  }
  const bool exited = WIFEXITED(end.wait_status);
  const int code = exited ? WEXITSTATUS(end.wait_status) : 0;
  // First, since LLVM may print its help and exit with 0 when our option is unknown to it.
  if (contains_any(text, {"error: unable to load plugin", "Failed to load passes from"})) {
    return Reason::load_failed;
  }
  if (exited && code == 0) {
    return names_pass_warning(text, compiler_family) ? Reason::diagnostics : Reason::none;
  }
  // The caller's own limit on the size of files: the plain object may keep within it, or not.
  if (WIFSIGNALED(end.wait_status) && WTERMSIG(end.wait_status) == SIGXFSZ) {
    return Reason::compile_error;
  }
  if (has_marked_line(text, "hone-pass: coroutines: ")) {
    return Reason::coroutines;
  }
  if (has_marked_line(text, "hone-pass: ")) {
    return Reason::rejected;
  }
  if (end.over_limit || text.find("unable to execute command: CPU time limit") != text.npos) {
    return Reason::timed_out;
  }
  // Not GCC's "unrecognized command-line option": that is what a configure script's probe of the
  // user's own flags ends with, and no decision is to be given up for it.
  if (contains_any(text, {"(LLVM option parsing)", "for the --use-hone-"})) {
    return Reason::rejected;
  }
  if (exited && code == kExecFailed) {
    return Reason::load_failed;
  }
  // 254 is the driver's word for a compiler process that died by a signal; shells and caches say
  // 128 + signal.
  if (!exited || code == 70 || code >= 128 ||
      contains_any(text, {"clang frontend command failed", "PLEASE submit a bug report",
                          "unable to execute command: ", "internal compiler error",
                          "signal terminated program"})) {
    return Reason::crashed;
  }
  return Reason::compile_error;
}

}  // namespace hone
