// What /proc says of processes. `process` is a folder there.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace hone {

// The number behind `key` ("Pss:") in a file of lines; 0 if the process is gone.
inline long number_in(const std::filesystem::path& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(key)) {
      return std::atol(line.c_str() + key.size());
    }
  }
  return 0;
}

inline long parent_of(const std::filesystem::path& process) {
  return number_in(process / "status", "PPid:");
}

}  // namespace hone
