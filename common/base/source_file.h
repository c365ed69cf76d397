// Which files are compiled, by their names. Pure, thread safe.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace hone {

// A C or C++ source, as compilers and build systems name them; no header.
inline bool is_source_file(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 6> kSuffixes = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
  return std::ranges::find(kSuffixes, path.extension().string()) != kSuffixes.end();
}

}  // namespace hone
