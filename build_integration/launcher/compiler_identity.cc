#include "build_integration/launcher/compiler_identity.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <vector>

#include "build_integration/launcher/refused_options.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr int kAnswerMilliseconds = 10000;
constexpr std::size_t kMaxAnswer = 65536;

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_elf(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char magic[4];
  return file && ::read(file.get(), magic, sizeof magic) == 4 &&
         std::memcmp(magic,
                     "\x7f"
                     "ELF",
                     sizeof magic) == 0;
}

// The number at the end of "clang-19", "clang++-19", "x86_64-linux-gnu-g++-12" behind `stem`.
int number_behind(std::string_view name, std::string_view stem) {
  const std::size_t at = name.find(stem);
  if (at == std::string_view::npos) {
    return 0;
  }
  const std::string_view rest = name.substr(at + stem.size());
  return rest.find_first_not_of("0123456789") == std::string_view::npos ? leading_number(rest) : 0;
}

// What the place of a program says about it; no family if nothing.
CompilerIdentity from_real_path(std::string_view path) {
  CompilerIdentity identity;
  const std::string_view name = base_name(path);
  const std::size_t folder = path.find("/llvm-");
  if (name == "clang" && folder != std::string_view::npos && path.ends_with("/bin/clang")) {
    identity.major = leading_number(path.substr(folder + 6));
  } else {
    identity.major = number_behind(name, "clang-");
  }
  if (identity.major > 0) {
    identity.family = "clang";
    return identity;
  }
  for (const std::string_view stem : {"-g++-", "-gcc-"}) {
    identity.major = number_behind(name, stem);
    if (identity.major > 0) {
      identity.family = "gcc";
      identity.target = name.substr(0, name.find(stem));
      break;
    }
  }
  return identity;
}

// Whether clang called by this name compiles for the machine it was made for: "clang++-19", "cc".
// In "aarch64-linux-gnu-g++" it sees a target. Other names are not wrong, but the compiler is
// asked.
bool names_no_target(std::string_view name) {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"c++", "cc", "clang", "clang++", "g++", "gcc"});
  const std::size_t dash = name.rfind('-');
  if (dash != std::string_view::npos &&
      name.substr(dash + 1).find_first_not_of("0123456789.") == std::string_view::npos) {
    name = name.substr(0, dash);
  }
  return std::ranges::find(kNames, name) != kNames.end();
}

// Whether the place of the program says all about it when it is called so. GCC's real name holds
// its machine, and the name by which it is called means nothing to it.
bool is_known_by_place(const CompilerIdentity& identity, std::string_view name) {
  return identity.family == "gcc" || (identity.family == "clang" && names_no_target(name));
}

// Whether predefined macros are those of code for this machine and its usual ABI.
bool is_code_for_this_machine(std::string_view macros) {
  const auto defines = [&](std::string_view macro) {
    return macros.find("#define " + std::string(macro) + " 1\n") != std::string_view::npos;
  };
#if defined(__x86_64__)
  return defines("__x86_64__") && defines("__LP64__");
#elif defined(__aarch64__)
  return defines("__aarch64__") && defines("__LP64__") && !defines("__AARCH64EB__");
#else
  return false;
#endif
}

// Standard output of `path arguments...`, "" if it takes too long or does not run.
std::string ask(const std::string& path, std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return {};
  }
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, writing.get(), 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  words.insert(words.begin(), path);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failure =
      ::posix_spawn(&child, path.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  writing.reset();
  if (failure != 0) {
    return {};
  }
  std::string answer;
  pollfd waiting{reading.get(), POLLIN, 0};
  while (answer.size() < kMaxAnswer) {
    const int ready = ::poll(&waiting, 1, kAnswerMilliseconds);
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    char piece[4096];
    const ssize_t got = ready > 0 ? ::read(reading.get(), piece, sizeof piece) : 0;
    if (ready <= 0) {
      ::kill(child, SIGKILL);
    }
    if (got <= 0) {
      break;
    }
    answer.append(piece, static_cast<std::size_t>(got));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? answer : std::string();
}

// "clang 19 x86_64-pc-linux-gnu", as remembered.
std::string print_remembered(const CompilerIdentity& identity) {
  return identity.family + ' ' + std::to_string(identity.major) + ' ' + identity.target + '\n';
}

CompilerIdentity parse_remembered(std::string_view text) {
  CompilerIdentity identity;
  const std::vector<std::string_view> words = split(trim(text), ' ');
  if (words.size() == 3) {
    identity.family = words[0];
    identity.major = leading_number(words[1]);
    identity.target = words[2];
  }
  return identity;
}

CompilerIdentity ask_identity(const std::string& path) {
  CompilerIdentity identity = parse_version_text(ask(path, {"--version"}));
  if (identity.family.empty()) {
    return {};
  }
  if (identity.target.empty()) {
    const std::string answer = ask(path, {"-dumpmachine"});
    identity.target = trim(answer);
  }
  if (identity.target.empty() || identity.target.find(' ') != std::string::npos) {
    return {};
  }
  // GCC names its machine whatever a wrapper adds (-m32).
  if (identity.family == "gcc" && is_host_target(identity.target) &&
      !is_code_for_this_machine(ask(path, {"-dM", "-E", "-x", "c", "/dev/null"}))) {
    identity.target = "other(" + identity.target + ')';
  }
  return identity;
}

}  // namespace

std::vector<std::string> find_programs(std::string_view name) {
  const char* const variable = ::getenv("PATH");
  const std::string_view folders = variable != nullptr ? variable : "/bin:/usr/bin";
  std::vector<std::string> found;
  for (const std::string_view folder : split(folders, ':')) {
    std::string candidate(folder.empty() ? "." : folder);
    candidate += '/';
    candidate += name;
    struct stat status{};
    if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

std::string find_program(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    return std::string(name);
  }
  std::vector<std::string> found = find_programs(name);
  return found.empty() ? std::string() : std::move(found.front());
}

bool is_compiler_program(const std::string& path) {
  char real[PATH_MAX];
  return ::realpath(path.c_str(), real) != nullptr && !from_real_path(real).family.empty() &&
         is_elf(real);
}

bool is_compiler_cache(std::string_view program) {
  const std::string_view name = base_name(program);
  return name == "ccache" || name == "sccache";
}

CompilerIdentity parse_version_text(std::string_view text) {
  CompilerIdentity identity;
  constexpr std::string_view kClang = "clang version ";
  const std::string_view first = text.substr(0, text.find('\n'));
  const std::size_t at = first.find(kClang);
  if (at != std::string_view::npos) {
    identity.family = "clang";
    identity.major = leading_number(first.substr(at + kClang.size()));
    constexpr std::string_view kTarget = "\nTarget: ";
    const std::size_t target = text.find(kTarget);
    if (target != std::string_view::npos) {
      const std::string_view rest = text.substr(target + kTarget.size());
      identity.target = trim(rest.substr(0, rest.find('\n')));
    }
  } else if (text.find("Free Software Foundation") != std::string_view::npos) {
    // "g++ (Debian 12.2.0-14) 12.2.0": the last word is the version.
    identity.family = "gcc";
    identity.major = leading_number(first.substr(first.rfind(' ') + 1));
  }
  if (identity.major <= 0) {
    return {};
  }
  return identity;
}

CompilerIdentity identify_compiler(std::string_view compiler, const StateFolder& state) {
  const std::string path = find_program(compiler);
  char buffer[PATH_MAX];
  struct stat status{};
  if (path.empty() || ::realpath(path.c_str(), buffer) == nullptr || ::stat(buffer, &status) != 0) {
    CompilerIdentity unknown;
    unknown.path = path;
    return unknown;
  }
  const std::string real = buffer;
  CompilerIdentity identity = from_real_path(real);
  const bool is_program = !identity.family.empty() && is_elf(real);
  if (!is_program || !is_known_by_place(identity, base_name(path))) {
    // The path as called belongs to the key: one program may act by its name (ccache, a wrapper).
    const std::string key = path + '\n' + real + '\n' + std::to_string(status.st_size) + '\n' +
                            std::to_string(status.st_mtim.tv_sec) + '.' +
                            std::to_string(status.st_mtim.tv_nsec) + '\n' +
                            std::to_string(status.st_ino);
    const std::string name = to_hex(hash128(key));
    identity = parse_remembered(state.read(StateKind::compilers, name));
    if (identity.major == 0) {
      identity = ask_identity(path);
      if (identity.major != 0) {
        state.write(StateKind::compilers, name, print_remembered(identity));
      }
    }
  }
  identity.path = path;
  identity.is_program = is_program;
  return identity;
}

}  // namespace hone
