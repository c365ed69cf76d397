// C and C++ to the bitcode that a compile session begins with: what -O3 would optimise, with none
// of its passes run. Thread safe.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

enum class SourceKind { c, cxx, module };
// By a file's ending; invalid_argument lists the endings that are known.
Result<SourceKind> source_kind(const std::filesystem::path& file);

struct ClangCompile {
  std::filesystem::path source;     // .c or C++
  SourceKind kind = SourceKind::c;  // not module
  std::vector<std::string> flags;   // the source's own: -I -D -std; a level of its own stays
  std::filesystem::path folder;     // that the flags are relative to; empty: ours
  std::filesystem::path output;     // bitcode
  std::string level{};              // "Oz": instead of what the flags say; empty: as they say
};

// Errors of run_tool(), within the source's name.
Result<void> compile_to_bitcode(const ClangCompile& compile, const std::stop_token& stop = {});

// Several files of bitcode as one.
Result<void> link_bitcode(const std::vector<std::filesystem::path>& inputs,
                          const std::filesystem::path& output, const std::stop_token& stop = {});

// The program that a file of bitcode or IR text comes to, with none of clang's own passes run, and
// the seconds (wall time) that it took.
Result<double> link_program(const std::filesystem::path& bitcode,
                            const std::vector<std::string>& link,
                            const std::filesystem::path& output, const std::stop_token& stop = {});

inline constexpr std::string_view kClang = "clang-19";
inline constexpr std::string_view kClangxx = "clang++-19";

}  // namespace hone
