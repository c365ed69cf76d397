#include "build_integration/launcher/decision_arguments.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "build_integration/launcher/profile_use.h"
#include "build_integration/launcher/user_switches.h"
#include "common/base/file.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/gcc_option_table.h"

namespace hone {
namespace {

bool is_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string plugin_name(int compiler_major) {
  return "libhone_pass-" + std::to_string(compiler_major) + ".so";
}

// The plugin for a compiler: in the folder that was named, or beside the launcher, or in lib/ of
// the same installation. "" if there is none.
std::string find_plugin(const Settings& settings, int compiler_major) {
  const std::string name = '/' + plugin_name(compiler_major);
  if (!settings.plugin_dir.empty()) {
    char buffer[PATH_MAX];
    const std::string named = settings.plugin_dir + name;
    // Absolute: the compiler may run with another -working-directory or behind a cache.
    return ::realpath(named.c_str(), buffer) != nullptr && is_file(buffer) ? buffer : "";
  }
  char self[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self);
  if (size <= 0) {
    return {};
  }
  const std::string folder = folder_of(std::string(self, static_cast<std::size_t>(size)));
  for (const std::string& candidate :
       {folder + name, folder_of(folder) + "/lib" + name, folder_of(folder) + "/lib/hone" + name}) {
    if (is_file(candidate)) {
      return candidate;
    }
  }
  return {};
}

DecisionArguments refused(Reason reason, std::string detail) {
  return {reason, std::move(detail), {}};
}

// The first with an extension point behind the passes that read a profile.
constexpr int kFirstMajorAfterProfile = 15;

// Why a pipeline cannot follow a profile of the IR, "" if it can.
std::string_view hindrance_after_profile(const CommandLine& command,
                                         const CompilerIdentity& compiler, ProfileKind kind,
                                         std::string_view pipeline) {
  if (kind != ProfileKind::ir) {
    return "not a plain instrumentation profile";
  }
  if (compiler.major < kFirstMajorAfterProfile) {
    return "this clang has no place for a pipeline behind the profile";
  }
  if (command.link_time) {
    return "a profile and -flto";
  }
  // It would read the profile again.
  return pipeline.find("default<") != pipeline.npos ? "a default pipeline behind the profile" : "";
}

// Why no choice is made in such a compile, "" if one is: its members are whole pipelines, as they
// were measured. "" also stands for what is refused elsewhere.
std::string hindrance_to_choice(const CommandLine& command) {
  if (!command.profile.empty()) {
    return "-fprofile-use";
  }
  if (command.link_time) {
    return "-flto";
  }
  const auto is_sanitizer = [](const Option& option) {
    return option.text.starts_with("-fsanitize") || option.text == "-fmemory-profile";
  };
  const auto sanitizer = std::ranges::find_if(command.options, is_sanitizer);
  return sanitizer == command.options.end() ? "" : sanitizer->text;
}

DecisionArguments for_clang(const Settings& settings, const CommandLine& command,
                            const CompilerIdentity& compiler, const Decision& decision) {
  for (const Knob& knob : decision.knobs) {
    if (std::ranges::find(command.user_knobs, knob.name) != command.user_knobs.end()) {
      return refused(Reason::knob_conflict, "-mllvm -" + knob.name);
    }
  }
  const std::string_view switched_off = switched_off_pass(
      command.options, decision.choice.empty() ? decision.pipeline : decision.choice);
  if (!switched_off.empty()) {
    return refused(Reason::knob_conflict, std::string(switched_off));
  }
  DecisionArguments result;
  result.arguments.emplace_back("-fno-crash-diagnostics");
  const bool chooses = !decision.choice.empty();
  if (chooses) {
    if (std::string hindrance = hindrance_to_choice(command); !hindrance.empty()) {
      return refused(Reason::no_choice, std::move(hindrance));
    }
  }
  if (chooses || !is_default(decision.pipeline) || settings.force_plugin) {
    const std::string plugin = find_plugin(settings, compiler.major);
    if (plugin.empty()) {
      return refused(Reason::plugin_missing, plugin_name(compiler.major));
    }
    result.arguments.push_back("-fplugin=" + plugin);
    result.arguments.push_back("-fpass-plugin=" + plugin);
    result.arguments.emplace_back("-mllvm");
    result.arguments.push_back(chooses ? "-use-hone-choice=" + decision.choice
                                       : "-use-hone-pipeline=" + decision.pipeline);
    const ProfileKind profile =
        command.profile.empty() ? ProfileKind::front_end : kind_of_profile(command.profile);
    if (profile != ProfileKind::front_end) {
      const std::string_view hindrance =
          hindrance_after_profile(command, compiler, profile, decision.pipeline);
      if (!hindrance.empty()) {
        return refused(Reason::instrumented, command.profile + ": " + std::string(hindrance));
      }
      result.arguments.emplace_back("-mllvm");
      result.arguments.emplace_back("-use-hone-pipeline-after-profile");
    }
  }
  for (const Knob& knob : decision.knobs) {
    result.arguments.emplace_back("-mllvm");
    result.arguments.push_back("-" + knob.name + "=" + knob.value);
  }
  return result;
}

DecisionArguments for_gcc(const CommandLine& command, const Decision& decision) {
  // GCC compares the profile with what its own passes have made of the code by then.
  if (!command.profile.empty()) {
    return refused(Reason::instrumented, command.profile);
  }
  std::vector<std::string_view> users;
  for (const Option& option : command.options) {
    const std::string_view name = option.text == "--param" && !option.values.empty()
                                      ? gcc_option_of_parameter(option.values.front())
                                      : gcc_option_of(option.text);
    if (!name.empty()) {
      users.push_back(name);
    }
    const auto members = members_of_gcc_group(option.text);
    users.insert(users.end(), members.begin(), members.end());
  }
  DecisionArguments result;
  for (const Knob& knob : decision.knobs) {
    if (std::ranges::find(users, knob.name) != users.end()) {
      return refused(Reason::knob_conflict, gcc_argument(knob.name, knob.value));
    }
    result.arguments.push_back(gcc_argument(knob.name, knob.value));
  }
  return result;
}

}  // namespace

DecisionArguments decision_arguments(const Settings& settings, const CommandLine& command,
                                     const CompilerIdentity& compiler, const Decision& decision) {
  return compiler.family == "gcc" ? for_gcc(command, decision)
                                  : for_clang(settings, command, compiler, decision);
}

}  // namespace hone
