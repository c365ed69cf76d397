#include "build_integration/launcher/option_fingerprint.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/hash.h"

namespace hone {
namespace {

// Options that say nothing about the code that is made.
bool is_ignored(std::string_view option) {
  static constexpr auto kExact = std::to_array<std::string_view>(
      {"--end-no-unused-arguments", "--serialize-diagnostics", "--start-no-unused-arguments", "-c",
       "-o", "-pedantic", "-pedantic-errors", "-pipe", "-serialize-diagnostics", "-w"});
  static constexpr auto kPrefix = std::to_array<std::string_view>(
      {"-M", "-fansi-escape-codes", "-fcaret-diagnostics", "-fcolor-diagnostics", "-fdiagnostics-",
       "-ferror-limit", "-fmessage-length", "-fno-caret-diagnostics", "-fno-color-diagnostics",
       "-fno-diagnostics-", "-fno-show-", "-fshow-"});
  if (std::ranges::find(kExact, option) != kExact.end()) {
    return true;
  }
  if (option.starts_with("-W")) {
    return !option.starts_with("-Wa,") && !option.starts_with("-Wl,") &&
           !option.starts_with("-Wp,");
  }
  if (option.starts_with("-o") && !option.starts_with("-objc") && !option.starts_with("-object")) {
    return true;
  }
  return std::ranges::any_of(kPrefix,
                             [&](std::string_view prefix) { return option.starts_with(prefix); });
}

// Options with a path, joined or in the next argument. Longer ones first where one begins another.
constexpr auto kPathOptions = std::to_array<std::string_view>(
    {"-include-pch", "-include", "-imacros", "-isystem-after", "-isystem", "-iquote", "-idirafter",
     "-isysroot", "-ivfsoverlay", "-iprefix", "-cxx-isystem", "-stdlib++-isystem", "-I", "-B",
     "-F"});

// "-name=/root/x=y" becomes "-name=x=y": every '=' may begin a path.
std::string with_relative_values(std::string_view option, const SourceRoot& root) {
  std::string result;
  while (true) {
    const std::size_t equals = option.find('=');
    result += option.substr(0, equals);
    if (equals == std::string_view::npos) {
      return result;
    }
    result += '=';
    option.remove_prefix(equals + 1);
    if (option.starts_with('/')) {
      const std::size_t end = option.find('=');
      result += root.name_as_spelled(option.substr(0, end));
      option.remove_prefix(std::min(end, option.size()));
    }
  }
}

}  // namespace

std::string option_fingerprint(const std::vector<Option>& options, const SourceRoot& root) {
  std::string text;
  for (const Option& option : options) {
    if (is_ignored(option.text)) {
      continue;
    }
    const auto* const path_option = std::ranges::find_if(
        kPathOptions, [&](std::string_view name) { return option.text.starts_with(name); });
    if (path_option != kPathOptions.end()) {
      const std::string_view joined = std::string_view(option.text).substr(path_option->size());
      text += *path_option;
      text += '\0';
      // Joined or separate is the same option.
      const std::string_view value =
          !joined.empty() || option.values.empty() ? joined : std::string_view(option.values[0]);
      text += root.name_as_spelled(value);
      text += '\0';
      continue;
    }
    text += with_relative_values(option.text, root);
    text += '\0';
    for (const std::string& value : option.values) {
      text +=
          value.starts_with('/') ? root.name_as_spelled(value) : with_relative_values(value, root);
      text += '\0';
    }
  }
  return to_hex(hash128(text));
}

}  // namespace hone
