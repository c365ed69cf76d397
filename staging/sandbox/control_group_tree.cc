#include "staging/sandbox/control_group_tree.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::array kWanted = {"memory", "pids", "cpuset"};
constexpr std::size_t kMaxFile = std::size_t{1} << 20U;
constexpr std::string_view kPrefix = "hone-";

// Empty for a file that is not there: a kernel without control groups.
std::string text_of(const fs::path& file) {
  const Result<std::string> text = read_file(file, kMaxFile);
  return text ? *text : std::string();
}

// A mounted hierarchy: "36 35 98:0 ROOT POINT ... - TYPE SOURCE OPTIONS" of proc(5).
struct Mount {
  std::string root;  // the group that is seen at the mount point
  fs::path point;
  bool version_2 = false;
  std::vector<std::string> options;  // of version 1 the controllers are among them
};

std::vector<Mount> read_mounts(const fs::path& file) {
  std::vector<Mount> mounts;
  const std::string text = text_of(file);
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.end() - dash < 4 || dash - words.begin() < 5) {
      continue;
    }
    if (dash[1] == "cgroup" || dash[1] == "cgroup2") {
      Mount mount{std::string(words[3]), fs::path(words[4]), dash[1] == "cgroup2", {}};
      for (const std::string_view option : split(dash[3], ',')) {
        mount.options.emplace_back(option);
      }
      mounts.push_back(std::move(mount));
    }
  }
  return mounts;
}

// Controller ("" for version 2) -> the group of this process.
std::map<std::string, std::string> read_groups(const fs::path& file) {
  std::map<std::string, std::string> groups;
  const std::string text = text_of(file);
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> parts = split(line, ':');
    if (parts.size() >= 3) {
      const std::string group(line.substr(parts[0].size() + parts[1].size() + 2));
      for (const std::string_view controller : split(parts[1], ',')) {
        groups[std::string(controller)] = group;
      }
    }
  }
  return groups;
}

// The folder of a group below a mount, which may show a part of the hierarchy only.
fs::path folder_of(const Mount& mount, std::string_view group) {
  if (mount.root != "/" && group.starts_with(mount.root)) {
    group.remove_prefix(mount.root.size());
  }
  while (group.starts_with('/')) {
    group.remove_prefix(1);
  }
  return group.empty() ? mount.point : mount.point / group;
}

bool is_writable(const fs::path& folder) {
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

bool write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text << std::flush;
  return stream.good();
}

std::vector<std::string> words_of(const fs::path& file) {
  std::vector<std::string> words;
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Lets the groups below this one have the controllers; which of them they then have.
std::vector<Controller> open_version_2(const fs::path& folder) {
  std::vector<Controller> controllers;
  for (const char* name : kWanted) {
    if (contains(words_of(folder / "cgroup.controllers"), name) &&
        (contains(words_of(folder / "cgroup.subtree_control"), name) ||
         write_text(folder / "cgroup.subtree_control", std::string("+") + name))) {
      controllers.push_back({name, folder});
    }
  }
  return controllers;
}

std::vector<Controller> find_version_2(const Mount& mount, const fs::path& own) {
  if (!is_writable(own)) {
    return {};
  }
  if (own != mount.point &&
      words_of(own / "cgroup.procs") == std::vector<std::string>{std::to_string(getpid())}) {
    std::error_code ignored;
    const fs::path leaf = own / "hone-worker";
    fs::create_directory(leaf, ignored);
    if (write_text(leaf / "cgroup.procs", "0")) {
      return open_version_2(own);
    }
  }
  return is_writable(mount.point) ? open_version_2(mount.point) : std::vector<Controller>{};
}

// Groups are called hone-PID-NUMBER: those of a process that is gone are nobody's.
void remove_left_behind(const fs::path& parent) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    pid_t owner = 0;
    if (name.starts_with(kPrefix)) {
      std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), owner);
    }
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH && rmdir(entry.path().c_str()) == 0) {
      log_info("control_group_removed", {{"folder", entry.path().string()}});
    }
  }
}

}  // namespace

ControlGroupTree ControlGroupTree::find(const ControlGroupSources& sources) {
  ControlGroupTree tree;
  const std::map<std::string, std::string> groups = read_groups(sources.groups);
  std::vector<Controller> version_2;
  for (const Mount& mount : read_mounts(sources.mounts)) {
    if (mount.version_2) {
      if (const auto own = groups.find(""); own != groups.end()) {
        version_2 = find_version_2(mount, folder_of(mount, own->second));
      }
      continue;
    }
    for (const char* name : kWanted) {
      const auto own = groups.find(name);
      if (own == groups.end() || !contains(mount.options, name)) {
        continue;
      }
      if (const fs::path folder = folder_of(mount, own->second); is_writable(folder)) {
        tree.controllers_.push_back({name, folder});
      }
    }
  }
  // A controller belongs to one version; where both are mounted, the one that has more counts.
  if (version_2.size() > tree.controllers_.size()) {
    tree.version_ = GroupVersion::v2;
    tree.controllers_ = std::move(version_2);
  }
  for (const Controller& controller : tree.controllers_) {
    remove_left_behind(controller.parent);
  }
  return tree;
}

std::vector<std::string> ControlGroupTree::missing() const {
  std::vector<std::string> names;
  for (const char* name : kWanted) {
    if (!has(name)) {
      names.emplace_back(name);
    }
  }
  return names;
}

bool ControlGroupTree::has(std::string_view controller) const {
  return std::any_of(controllers_.begin(), controllers_.end(),
                     [&](const Controller& one) { return one.name == controller; });
}

Result<ControlGroup> ControlGroupTree::create(const ControlGroupLimits& limits) const {
  while (true) {
    const std::string name =
        std::string(kPrefix) + std::to_string(getpid()) + "-" + std::to_string(++*made_);
    Result<ControlGroup> made = ControlGroup::create(version_, controllers_, name, limits);
    // In a container a killed worker's successor often has its process number.
    if (made || made.error().code != ErrorCode::conflict) {
      return made;
    }
  }
}

}  // namespace hone
