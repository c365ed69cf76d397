// Which compiler a command runs: clang or GCC, and its major version.
//
// Asked of the compiler itself, called as the command calls it (a wrapper may add --target, and to
// clang its own name may be a target), once: remembered in the state folder by path, size,
// modification time and inode. Where the file is a program (not a script) in the place or under the
// name that Debian and LLVM's own installer give a release (llvm-19/bin/clang, clang-19,
// x86_64-linux-gnu-g++-12), that is believed; of clang only if it is called clang, clang++, cc ...
// with a version at most. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "build_integration/launcher/state_folder.h"

namespace hone {

struct CompilerIdentity {
  std::string path;    // the file that runs, as found through PATH; links are not followed
  std::string family;  // "clang", "gcc", or "" if it did not answer
  int major = 0;
  // The machine that it compiles for, "x86_64-linux-gnu"; "other(...)" if it names this one but
  // makes code for another (a wrapper with -m32). Empty for a clang whose place and name tell that
  // it is this one.
  std::string target;
  bool is_program = false;  // is_compiler_program(path)
};

CompilerIdentity identify_compiler(std::string_view compiler, const StateFolder& state);

// The family, the major and clang's target in the first lines that a compiler prints for --version.
CompilerIdentity parse_version_text(std::string_view text);

// A command's program as execvp would find it; "" if it does not.
std::string find_program(std::string_view name);
// All that PATH has under this name, in its order; `name` has no slash.
std::vector<std::string> find_programs(std::string_view name);

// Whether the file is a compiler itself, in a place or under a name as said above: neither a script
// nor a cache nor another wrapper.
bool is_compiler_program(const std::string& path);

// Whether the name is one of an object cache that calls the compiler behind it (ccache, sccache).
bool is_compiler_cache(std::string_view program);

}  // namespace hone
