// What a compiler command does, as far as tuning it is concerned: one source to one object, or
// something to leave alone and why. Knows the options of clang and GCC. Plain values. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "build_integration/launcher/reason.h"

namespace hone {

// One option with the values that follow it in arguments of their own: {"-I", {"inc"}},
// {"-Iinc", {}}. Inputs are not options.
struct Option {
  std::string text;
  std::vector<std::string> values;
};

struct CommandLine {
  Reason refused = Reason::none;  // none: may be tuned
  std::string refused_because;    // the argument, where one is to blame
  // -c and nothing that takes it back: an object is made, be it a tuned one or not.
  bool makes_object = false;
  std::string source;                   // as spelled
  std::string output;                   // as spelled, or the compiler's default: x.o for dir/x.cc
  std::string level;                    // O0 O1 O2 O3 Os Oz Og; "" without -O. -O4, -Ofast are O3
  std::vector<Option> options;          // in order, response files taken apart
  std::vector<std::string> user_knobs;  // names of -mllvm options in the command, without dashes
  std::string profile;                  // file that -fprofile-use has the compiler read; "" if none
  // "-Xlinker --hone-decision=FILE": the policy that a build system names for this one compile; no
  // part of `options`. "" if none.
  std::string decision;
  bool link_time = false;  // -flto: the object is for link time optimisation
};

// `arguments` are those of the compiler, its own name left out. Reads response files, and looks at
// what the output is (a device is not to be tuned into).
CommandLine scan_command_line(std::string_view compiler, const std::vector<std::string>& arguments);

// Whether a variable is set that changes what a compiler command means or writes, and which
// (DEPENDENCIES_OUTPUT, CCC_OVERRIDE_OPTIONS ...); "" if none.
std::string_view unusual_environment();

}  // namespace hone
