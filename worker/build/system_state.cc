#include "worker/build/system_state.h"

#include <sys/stat.h>

namespace hone {

namespace fs = std::filesystem;

std::vector<fs::path> system_databases() {
  return {"/var/lib/dpkg/status",  "/var/lib/rpm/rpmdb.sqlite", "/var/lib/rpm/Packages",
          "/lib/apk/db/installed", "/var/lib/pacman/local",     "/etc/ld.so.cache",
          "/usr/local/lib",        "/usr/local/include"};
}

std::string system_state(const Toolchain& toolchain, const std::vector<fs::path>& databases) {
  std::vector<fs::path> files = databases;
  for (const std::string* const program :
       {&toolchain.c_compiler, &toolchain.cxx_compiler, &toolchain.ccache, &toolchain.launcher,
        &toolchain.link_launcher}) {
    if (!program->empty()) {
      files.emplace_back(*program);
    }
  }
  std::string state;
  for (const fs::path& file : files) {
    struct stat status{};
    // Through links: what counts is the program itself.
    if (::stat(file.c_str(), &status) != 0) {
      status = {};
    }
    state += file.string() + ' ' + std::to_string(status.st_size) + ' ' +
             std::to_string(status.st_mtim.tv_sec) + '.' + std::to_string(status.st_mtim.tv_nsec) +
             '\n';
  }
  return state;
}

}  // namespace hone
