#include "build_integration/launcher/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

namespace hone {

bool is_leftover_name(const std::string& name, const std::string& output) {
  constexpr std::size_t kRandomDigits = 8;
  const std::size_t dot = output.rfind('.');
  const std::string stem = output.substr(0, dot) + '-';
  const std::string end = (dot == std::string::npos ? "" : output.substr(dot)) + ".tmp";
  if (name.size() != stem.size() + kRandomDigits + end.size() || !name.starts_with(stem) ||
      !name.ends_with(end)) {
    return false;
  }
  return std::string_view(name)
             .substr(stem.size(), kRandomDigits)
             .find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void remove_leftovers(const std::string& output, std::int64_t since) {
  const std::size_t slash = output.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : output.substr(0, slash + 1);
  const std::string base = slash == std::string::npos ? output : output.substr(slash + 1);
  DIR* const listing = ::opendir(folder.c_str());
  if (listing == nullptr) {
    return;
  }
  const int at = ::dirfd(listing);
  while (const dirent* entry = ::readdir(listing)) {
    struct stat status{};
    if (is_leftover_name(entry->d_name, base) &&
        ::fstatat(at, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_mtim.tv_sec >= since - 1) {
      ::unlinkat(at, entry->d_name, 0);
    }
  }
  ::closedir(listing);
}

}  // namespace hone
