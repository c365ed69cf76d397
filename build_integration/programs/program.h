// A program that compile sessions can be opened with, and how to run it where that is known. Plain
// values.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hone {

inline constexpr std::chrono::seconds kRunSeconds{60};

// One run of the linked program. Standard output and error are looked at as one text.
struct ProgramRun {
  std::vector<std::string> arguments;
  std::string input;                  // its standard input
  std::optional<std::string> output;  // what it must print; nothing: what the unoptimised one does
  int exit_code = 0;
  std::chrono::seconds limit = kRunSeconds;
};

struct Program {
  std::string uri;                // finds it again
  std::filesystem::path file;     // bitcode or IR text, unoptimised
  std::vector<ProgramRun> runs;   // none: it is not known how to run it
  std::vector<std::string> link;  // further arguments of its link: -lm
  // Whether the unoptimised program is known to run: a generated one may loop or crash by itself.
  bool runs_unoptimised = true;
};

}  // namespace hone
