#include "build_integration/launcher/once_only.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/text.h"

namespace hone {
namespace {

// Files written beside the object: "/dev/null" may be written twice.
bool is_ordinary_side_output(const std::string& name) {
  return name == "/dev/null" || is_ordinary_file(name);
}

// The name in `text` behind one of the options that write a file of their own, or "".
std::string_view side_output_of(std::string_view text, std::string_view value) {
  static constexpr auto kJoined = std::to_array<std::string_view>(
      {"-MF", "--serialize-diagnostics=", "-foptimization-record-file=", "-ftime-trace=",
       "-fmodule-output="});
  static constexpr auto kSeparate =
      std::to_array<std::string_view>({"-MF", "--serialize-diagnostics", "-serialize-diagnostics",
                                       "-dependency-file", "-dependency-dot"});
  if (std::ranges::find(kSeparate, text) != kSeparate.end()) {
    return value;
  }
  for (const std::string_view option : kJoined) {
    if (text.starts_with(option)) {
      return text.substr(option.size());
    }
  }
  return {};
}

// "-Wa,-ahl=x.lst": whether a listing goes into something that is no regular file.
bool has_odd_output_for_assembler(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ',');
  return std::ranges::any_of(parts, [](std::string_view part) {
    const std::size_t equals = part.find('=');
    return part.starts_with("-a") && equals != std::string_view::npos &&
           !is_ordinary_side_output(std::string(part.substr(equals + 1)));
  });
}

// "-Wp,-MD,x.d": whether one of the parts is the name of something that is no regular file.
bool has_odd_output_for_preprocessor(std::string_view text) {
  if (!text.starts_with("-Wp,")) {
    return false;
  }
  const std::vector<std::string_view> parts = split(text, ',');
  return std::ranges::any_of(parts, [](std::string_view part) {
    return part == "-" || (part.find('/') != std::string_view::npos &&
                           !is_ordinary_side_output(std::string(part)));
  });
}

}  // namespace

bool names_descriptor(std::string_view text) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc/self/fd/"});
  return std::ranges::any_of(
      kNames, [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

bool is_ordinary_file(const std::string& name) {
  if (name == "-" || names_descriptor(name)) {
    return false;
  }
  struct stat status{};
  if (::stat(name.c_str(), &status) == 0) {
    return S_ISREG(status.st_mode);
  }
  // A link to nothing: GCC removes it when it fails, so that the second compile would succeed.
  return ::lstat(name.c_str(), &status) != 0;
}

bool opens_conversation(std::string_view option) {
  constexpr std::string_view kMapper = "-fmodule-mapper=";
  if (!option.starts_with(kMapper)) {
    return false;
  }
  // FILE?IDENT; others are |PROGRAM, =SOCKET, <IN>OUT and HOST:PORT.
  const std::string_view mapper = option.substr(kMapper.size());
  struct stat status{};
  const std::string file(mapper.substr(0, mapper.find('?')));
  return mapper.find_first_of("|=<>:@") != std::string_view::npos ||
         ::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode);
}

bool has_odd_side_output(std::string_view option, std::string_view value) {
  const std::string_view output = side_output_of(option, value);
  return (!output.empty() && !is_ordinary_side_output(std::string(output))) ||
         has_odd_output_for_preprocessor(option) ||
         (option.starts_with("-Wa,") && has_odd_output_for_assembler(option)) ||
         (option == "-Xassembler" && has_odd_output_for_assembler(value));
}

}  // namespace hone
