// hone-cc: a compiler launcher. See settings.h for its flags and launch.h for what it does.
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/launcher/choice.h"
#include "build_integration/launcher/compiler_identity.h"
#include "build_integration/launcher/explain.h"
#include "build_integration/launcher/launch.h"
#include "build_integration/launcher/self_call.h"
#include "build_integration/launcher/settings.h"
#include "build_integration/launcher/statistics.h"
#include "common/base/file.h"

namespace {

constexpr int kUsageError = 2;
constexpr int kCannotRun = 126;  // as a shell's
constexpr std::size_t kMaxLogBytes = std::size_t{1} << 30U;
constexpr const char* kUsage =
    "usage: hone-cc [FLAGS] COMPILER ARGUMENTS...\n"
    "       hone-cc [FLAGS] --explain COMPILER ARGUMENTS...\n"
    "       hone-cc [--state-dir=DIR] --stats | --reset\n"
    "       hone-cc --version\n"
    "flags (and variables): --policy=FILE (HONE_POLICY), --root=DIR (HONE_ROOT),\n"
    "  --state-dir=DIR (HONE_STATE_DIR), --on-failure=plain|error (HONE_ON_FAILURE),\n"
    "  --plugin-dir=DIR (HONE_PLUGIN_DIR), --named-decisions\n";

int stats(const hone::Settings& settings) {
  const auto log = hone::read_file(settings.state_dir + "/compiles.ndjson", kMaxLogBytes);
  if (!log.has_value() && log.error().code != hone::ErrorCode::not_found) {
    std::fprintf(stderr, "hone-cc: %s\n", log.error().message.c_str());
    return 1;
  }
  const std::string text = hone::print_statistics(log.has_value() ? *log : "");
  std::fputs(text.c_str(), stdout);
  return 0;
}

int reset(const hone::StateFolder& state) {
  std::printf("hone-cc: forgot %zu notes\n", state.reset());
  return 0;
}

// Whether `program` is this very launcher: "hone-cc hone-cc clang++ ...", or a wrapper in PATH.
bool is_ourselves(const char* program) {
  if (std::string_view(program).find("hone-cc") == std::string_view::npos) {
    return false;  // the usual case costs no system call
  }
  char ours[PATH_MAX];
  char theirs[PATH_MAX];
  return ::realpath("/proc/self/exe", ours) != nullptr &&
         ::realpath(hone::find_program(program).c_str(), theirs) != nullptr &&
         std::string_view(ours) == theirs;
}

// Where among `words` the compiler stands, behind a cache and its settings.
std::size_t position_of_compiler(char* const* words, int count) {
  constexpr int kMaxBefore = 64;
  return hone::compiler_position({words, words + std::min(count, kMaxBefore)});
}

}  // namespace

int main(int argc, char** argv) {
  hone::Result<hone::Settings> settings = hone::read_settings(argc, argv);
  while (settings.has_value() && settings->command < argc &&
         is_ourselves(argv[settings->command])) {
    // A launcher before a launcher: the inner one's flags count.
    argc -= settings->command;
    argv += settings->command;
    settings = hone::read_settings(argc, argv);
  }
  if (!settings.has_value()) {
    std::fprintf(stderr, "hone-cc: %s\n%s", settings.error().message.c_str(), kUsage);
    return kUsageError;
  }
  switch (settings->action) {
    case hone::Action::version:
      std::puts("hone-cc " HONE_VERSION);
      return 0;
    case hone::Action::help:
      std::fputs(kUsage, stdout);
      return 0;
    case hone::Action::stats:
    case hone::Action::reset:
      if (settings->state_dir.empty()) {
        std::fputs("hone-cc: --stats and --reset need HONE_STATE_DIR or --state-dir=DIR\n", stderr);
        return kUsageError;
      }
      if (settings->action == hone::Action::stats) {
        return stats(*settings);
      }
      return reset(hone::StateFolder(settings->state_dir));
    case hone::Action::explain:
    case hone::Action::compile:
      break;
  }
  char** const command = argv + settings->command;
  const std::size_t compiler = position_of_compiler(command, argc - settings->command);
  hone::Result<std::string> program = hone::program_to_call(command[compiler]);
  if (!program.has_value()) {
    std::fprintf(stderr, "hone-cc: %s\n", program.error().message.c_str());
    return kCannotRun;
  }
  if (!program->empty()) {
    command[compiler] = program->data();
  }
  // Without a policy nothing is looked at, unless to be logged or since the command may name one.
  const bool may_have_policy = !settings->policy.empty() || settings->named_decisions;
  const bool compiles = settings->action == hone::Action::compile;
  if (compiles && !may_have_policy && !settings->log_without_policy) {
    return hone::exec_plain(command);
  }
  const hone::StateFolder state(settings->state_dir);
  const std::vector<std::string> arguments(command, command + (argc - settings->command));
  const hone::Choice choice =
      compiles || may_have_policy ? hone::choose(*settings, state, arguments) : hone::Choice{};
  if (!compiles) {
    std::fputs(hone::explain(choice).c_str(), stdout);
    return 0;
  }
  if (choice.policy.empty() && !settings->log_without_policy) {
    return hone::exec_plain(command);
  }
  return hone::launch(*settings, state, choice, command);
}
