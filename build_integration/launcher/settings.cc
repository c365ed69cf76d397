#include "build_integration/launcher/settings.h"

#include <array>
#include <cstdlib>

namespace hone {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// If `argument` is "NAME=value", sets `value`.
bool take_flag(std::string_view argument, std::string_view name, std::string& value) {
  if (argument.size() > name.size() && argument.starts_with(name) && argument[name.size()] == '=') {
    value = argument.substr(name.size() + 1);
    return true;
  }
  return false;
}

}  // namespace

Result<Settings> read_settings(int argc, const char* const* argv) {
  Settings settings;
  settings.policy = variable("HONE_POLICY");
  settings.root = variable("HONE_ROOT");
  settings.state_dir = variable("HONE_STATE_DIR");
  settings.plugin_dir = variable("HONE_PLUGIN_DIR");
  settings.force_plugin = variable("HONE_TEST_FORCE_PLUGIN") == "1";
  settings.log_without_policy = variable("HONE_LOG_WITHOUT_POLICY") == "1";
  // A misspelled value must not break a build: only the exact word means error.
  settings.on_failure =
      variable("HONE_ON_FAILURE") == "error" ? OnFailure::error : OnFailure::plain;

  int i = 1;
  for (; i < argc && std::string_view(argv[i]).starts_with("--"); ++i) {
    const std::string_view argument = argv[i];
    std::string on_failure;
    if (argument == "--explain") {
      settings.action = Action::explain;
    } else if (argument == "--reset") {
      settings.action = Action::reset;
    } else if (argument == "--stats") {
      settings.action = Action::stats;
    } else if (argument == "--version") {
      settings.action = Action::version;
    } else if (argument == "--named-decisions") {
      settings.named_decisions = true;
    } else if (argument == "--help") {
      settings.action = Action::help;
    } else if (take_flag(argument, "--on-failure", on_failure)) {
      if (on_failure != "plain" && on_failure != "error") {
        return fail(ErrorCode::invalid_argument,
                    "--on-failure is plain or error, not " + on_failure);
      }
      settings.on_failure = on_failure == "error" ? OnFailure::error : OnFailure::plain;
    } else if (!take_flag(argument, "--policy", settings.policy) &&
               !take_flag(argument, "--root", settings.root) &&
               !take_flag(argument, "--state-dir", settings.state_dir) &&
               !take_flag(argument, "--plugin-dir", settings.plugin_dir)) {
      return fail(ErrorCode::invalid_argument, "unknown flag " + std::string(argument));
    }
  }
  settings.command = i;
  if (i == argc && (settings.action == Action::compile || settings.action == Action::explain)) {
    return fail(ErrorCode::invalid_argument, "no compiler is named");
  }
  return settings;
}

}  // namespace hone
