#include "worker/artifacts/held_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A look at one file takes a microsecond or two.
constexpr std::uint64_t kMostLooks = 1'000'000;
constexpr std::size_t kMostInodes = 200'000;
constexpr std::chrono::seconds kLongest{2};

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Folder open_folder(int above, const char* name) {
  const int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = fd < 0 ? nullptr : fdopendir(fd);
  if (fd >= 0 && stream == nullptr) {
    UniqueFd(fd).reset();
    errno = ENOMEM;
  }
  return {stream, &closedir};
}

// What a name in /proc stands for; nothing for other names.
std::optional<pid_t> number(std::string_view name) {
  pid_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(value)
                                                                  : std::nullopt;
}

// 0 if it is gone. A program's name may hold anything, so the fields start after the last ')'.
pid_t parent_of(pid_t process) {
  const Result<std::string> line = read_file("/proc/" + std::to_string(process) + "/stat", 4096);
  const std::size_t bracket = line ? line->rfind(')') : std::string::npos;
  if (bracket == std::string::npos || bracket + 4 >= line->size()) {
    return 0;
  }
  const std::string_view rest = std::string_view(*line).substr(bracket + 4);
  return number(rest.substr(0, rest.find(' '))).value_or(0);
}

class Look {
 public:
  explicit Look(const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
      struct stat about{};
      if (stat(folder.c_str(), &about) == 0) {
        devices_.insert(about.st_dev);
      }
    }
  }

  HeldFiles at_descendants(pid_t guardian, int own_generations) {
    read_parents();
    std::multimap<pid_t, pid_t> children;
    for (const auto& [process, parent] : parents_) {
      children.emplace(parent, process);
    }
    std::vector<pid_t> fathers = {guardian};
    for (int generation = 1; !fathers.empty(); ++generation) {
      std::vector<pid_t> sons;
      for (const pid_t father : fathers) {
        const auto [begin, end] = children.equal_range(father);
        for (auto at = begin; at != end; ++at) {
          sons.push_back(at->second);
          if (generation > own_generations) {
            at_process(at->second);
          }
        }
        children.erase(begin, end);
      }
      fathers = std::move(sons);
    }
    return std::move(held_);
  }

 private:
  // Whether to go on; once it is not, it never is.
  bool may_look() {
    ++looks_;
    if (looks_ > kMostLooks || held_.inodes.size() >= kMostInodes ||
        (looks_ % 64 == 0 && Clock::now() - started_ > kLongest)) {
      looks_ = kMostLooks;
      held_.complete = false;
      return false;
    }
    return true;
  }

  // What may not be looked at is told; what is gone is nobody's any more.
  void could_not(int reason) {
    if (reason != ENOENT && reason != ESRCH && reason != ENOTDIR) {
      held_.complete = false;
    }
  }

  void read_parents() {
    const Folder processes = open_folder(AT_FDCWD, "/proc");
    if (!processes) {
      could_not(EACCES);
      return;
    }
    while (const dirent* entry = readdir(processes.get())) {
      const std::optional<pid_t> process = number(entry->d_name);
      if (process && may_look()) {
        parents_[*process] = parent_of(*process);
      }
    }
    // Whose parent has ended while we read has another one by now.
    for (auto& [process, parent] : parents_) {
      if (parent != 0 && !parents_.contains(parent) && may_look()) {
        parent = parent_of(process);
      }
    }
  }

  void at_process(pid_t process) {
    const std::string path = "/proc/" + std::to_string(process);
    const Folder threads = open_folder(AT_FDCWD, (path + "/task").c_str());
    if (!threads) {
      could_not(errno);
      return;
    }
    while (const dirent* thread = readdir(threads.get())) {
      if (number(thread->d_name) && may_look()) {
        at_files(path + "/task/" + thread->d_name + "/fd");
      }
    }
    at_maps(path);
  }

  void at_files(const std::string& path) {
    const Folder files = open_folder(AT_FDCWD, path.c_str());
    if (!files) {
      could_not(errno);
      return;
    }
    while (const dirent* entry = readdir(files.get())) {
      struct stat about{};
      if (!number(entry->d_name) || !may_look()) {
        continue;
      }
      if (fstatat(dirfd(files.get()), entry->d_name, &about, 0) == 0) {
        take(about);
      } else {
        could_not(errno);
      }
    }
  }

  // "7f01-7f02 rw-s 00000000 08:01 1234   /work/name (deleted)"
  void at_maps(const std::string& path) {
    errno = 0;
    std::ifstream maps(path + "/maps");
    if (!maps) {
      could_not(errno);
      return;
    }
    for (std::string line; std::getline(maps, line) && may_look();) {
      unsigned long begin = 0;
      unsigned long end = 0;
      unsigned major = 0;
      unsigned minor = 0;
      if (!line.ends_with(" (deleted)") ||
          std::sscanf(line.c_str(), "%lx-%lx %*s %*s %x:%x", &begin, &end, &major, &minor) != 4) {
        continue;
      }
      char name[64];  // without the zeros in front that the line may have
      std::snprintf(name, sizeof name, "/map_files/%lx-%lx", begin, end);
      struct stat about{};
      if (stat((path + name).c_str(), &about) == 0) {
        take(about);
      } else if (devices_.contains(makedev(major, minor))) {
        could_not(errno);  // only root may look at those
      }
    }
  }

  void take(const struct stat& about) {
    if (about.st_nlink == 0 && devices_.contains(about.st_dev) &&
        held_.inodes.emplace(about.st_dev, about.st_ino).second) {
      held_.bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
      ++held_.entries;
    }
  }

  std::set<dev_t> devices_;
  std::map<pid_t, pid_t> parents_;
  HeldFiles held_;
  std::uint64_t looks_ = 0;
  const Clock::time_point started_ = Clock::now();
};

}  // namespace

HeldFiles held_files(const StepProcesses& step, const std::vector<fs::path>& folders) {
  const pid_t guardian = step.guardian == nullptr ? 0 : step.guardian->load();
  if (guardian <= 0) {
    return {};
  }
  HeldFiles held = Look(folders).at_descendants(guardian, step.own_generations);
  // The number may be another's by now.
  return step.guardian->load() == guardian ? std::move(held) : HeldFiles();
}

}  // namespace hone
