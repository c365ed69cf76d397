#include "common/protocol/locations.h"

#include <unistd.h>

#include <cstdlib>

namespace hone {
namespace {

// $`variable` if it is an absolute path (the XDG rule), else ~/`below_home`.
std::filesystem::path user_folder(const char* variable, const char* below_home) {
  const char* named = std::getenv(variable);
  if (named != nullptr && *named == '/') {
    return std::filesystem::path(named) / "hone";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') {
    return {};
  }
  return std::filesystem::path(home) / below_home / "hone";
}

}  // namespace

std::filesystem::path default_data_folder() {
  return geteuid() == 0 ? std::filesystem::path("/var/lib/hone")
                        : user_folder("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path user_config_folder() {
  return user_folder("XDG_CONFIG_HOME", ".config");
}

}  // namespace hone
