#include "staging/sandbox/bubblewrap.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSystemFolders = {"usr",    "bin", "sbin", "lib", "lib32", "lib64",
                                       "libx32", "etc", "opt",  "nix", "gnu"};
// Of the machine's description what libraries ask when they choose their code.
constexpr std::array kMachineFolders = {"sys/devices/system", "sys/kernel/mm/transparent_hugepage"};
// Where names are resolved, for programs with a network: /etc/resolv.conf is often a link to it.
constexpr std::array kResolver = {"/run/systemd/resolve", "/run/resolvconf"};

constexpr std::uint64_t kTemporaryBytes = std::uint64_t{1} << 30U;
constexpr const char* kInit = "/run/hone/init";
// Who programs are in there, nobody and nogroup: the same in every slot and on every machine,
// whoever they are outside, so that no build can tell one from another by it.
constexpr const char* kUser = "65534";

// What is seen at a path.
enum class Shown { read_only, writable, memory, nothing };

class Arguments {
 public:
  explicit Arguments(const fs::path& program) : list_({program.string()}) {}

  template <class... Words>
  void add(Words&&... words) {
    (list_.emplace_back(std::forward<Words>(words)), ...);
  }
  void add_memory_folder(const std::string& folder, std::uint64_t bytes) {
    if (bytes > 0) {
      add("--size", std::to_string(bytes));
    }
    add("--tmpfs", folder);
  }
  std::vector<std::string> take() { return std::move(list_); }
  std::vector<std::string>& list() { return list_; }

 private:
  std::vector<std::string> list_;
};

// The path in one spelling: without "." and "..", and without a slash at its end.
fs::path normal(const fs::path& path) {
  const fs::path clean = path.lexically_normal();
  return clean.has_filename() ? clean : clean.parent_path();
}

// Whether the path lies in a folder that every sandbox shows.
bool is_system(const fs::path& path) {
  auto part = path.begin();
  return path.is_absolute() && ++part != path.end() &&
         std::find(kSystemFolders.begin(), kSystemFolders.end(), part->string()) !=
             kSystemFolders.end();
}

// Whether one of the folders above it is seen, and so the path itself would be.
bool lies_within(const fs::path& path, const std::map<fs::path, Shown>& seen) {
  for (fs::path above = path; above != above.parent_path(); above = above.parent_path()) {
    if (seen.contains(above)) {
      return true;
    }
  }
  return is_system(path);
}

// Whether the path is one of these or lies below one.
bool lies_below(const fs::path& path, const std::vector<fs::path>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
  });
}

// What is seen at each path. Sorted, so that a folder comes before what lies in it, which would
// otherwise be hidden.
std::map<fs::path, Shown> binds(const SandboxParts& parts, const std::vector<fs::path>& hidden,
                                const SandboxView& view) {
  std::map<fs::path, Shown> seen;
  // What the system's folders show is seen already, unless it lies below something hidden in them.
  const auto show = [&](const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths) {
      if (!path.empty() && (!is_system(path) || lies_below(normal(path), hidden))) {
        seen[normal(path)] = Shown::read_only;
      }
    }
  };
  show(parts.shared);
  show(view.readable);
  if (view.network == NetworkUse::open) {
    show({kResolver.begin(), kResolver.end()});
  }
  for (const fs::path& path : view.writable) {
    seen[normal(path)] = Shown::writable;
  }
  for (const fs::path& path : hidden) {
    if (lies_within(normal(path), seen)) {
      seen[normal(path)] = Shown::nothing;
    }
  }
  if (!view.scratch.empty()) {
    seen[normal(view.scratch)] = Shown::memory;
  }
  return seen;
}

}  // namespace

std::vector<std::string> system_arguments(const fs::path& root) {
  std::vector<std::string> list;
  for (const char* name : kSystemFolders) {
    const fs::path folder = root / name;
    std::error_code error;
    if (fs::is_symlink(folder, error)) {
      list.insert(list.end(), {"--symlink", fs::read_symlink(folder, error), folder});
    } else if (fs::is_directory(folder, error)) {
      list.insert(list.end(), {"--ro-bind", folder, folder});
    }
  }
  for (const char* name : kMachineFolders) {
    list.insert(list.end(), {"--ro-bind-try", root / name, root / name});
  }
  return list;
}

std::vector<std::string> bubblewrap_arguments(const SandboxParts& parts,
                                              const std::vector<fs::path>& hidden,
                                              const Command& command, const SandboxView& view,
                                              int filter, int report) {
  Arguments bwrap(parts.bubblewrap);
  bwrap.add("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts",
            "--unshare-cgroup-try", "--disable-userns", "--cap-drop", "ALL");
  bwrap.add("--uid", kUser, "--gid", kUser);
  if (view.network == NetworkUse::none) {
    bwrap.add("--unshare-net");
  }
  // Our init instead of bwrap's; it dies with the guardian and takes everything along.
  bwrap.add("--as-pid-1", "--die-with-parent", "--new-session", "--hostname", "sandbox");
  bwrap.list().insert(bwrap.list().end(), parts.system.begin(), parts.system.end());
  bwrap.add("--proc", "/proc", "--dev", "/dev");
  for (const char* folder : {"/dev/shm", "/tmp", "/var/tmp"}) {
    bwrap.add_memory_folder(folder, kTemporaryBytes);
  }
  // Folders in memory that nobody may write to, since they have no limit of size.
  std::vector<std::string> closed = {"/dev", "/"};
  for (const auto& [path, shown] : binds(parts, hidden, view)) {
    std::error_code error;
    switch (shown) {
      case Shown::read_only:
        bwrap.add("--ro-bind-try", path, path);
        break;
      case Shown::writable:
        bwrap.add("--bind-try", path, path);
        break;
      case Shown::memory:
        bwrap.add_memory_folder(path, view.scratch_bytes);
        break;
      case Shown::nothing:
        if (fs::is_directory(path, error)) {
          bwrap.add("--tmpfs", path);
          closed.push_back(path);
        } else {
          bwrap.add("--ro-bind", "/dev/null", path);
        }
        break;
    }
  }
  bwrap.add("--ro-bind", parts.init, kInit);
  for (const std::string& folder : closed) {
    bwrap.add("--remount-ro", folder);
  }
  if (!command.working_folder.empty()) {
    bwrap.add("--chdir", command.working_folder);
  }
  if (filter >= 0) {
    bwrap.add("--seccomp", std::to_string(filter));
  }
  bwrap.add("--", kInit, std::to_string(report),
            view.keep_scratch && !view.scratch.empty() ? view.scratch.string() : "-",
            command.program.empty() ? command.arguments.front() : command.program.string());
  bwrap.list().insert(bwrap.list().end(), command.arguments.begin(), command.arguments.end());
  return bwrap.take();
}

}  // namespace hone
