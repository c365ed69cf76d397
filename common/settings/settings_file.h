// A file with a program's settings: YAML, or JSON, which is YAML too; one mapping of keys. For
// files of common/settings. Thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

inline constexpr std::size_t kMaxSettingsBytes = std::size_t{1} << 20U;

struct FileSetting {
  std::string key;
  Json value;
  std::string place;  // "FILE line 3"
};

// In the order of the file's keys. not_found, io_failed; invalid_argument with file and line for
// what is no such file. An empty file holds no setting.
Result<std::vector<FileSetting>> read_settings_file(const std::filesystem::path& path);

}  // namespace hone
