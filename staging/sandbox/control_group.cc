#include "staging/sandbox/control_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = 65536;

// One write, as these files want it. O_CREAT and O_TRUNC change nothing there; they let a plain
// folder stand in for the kernel's in tests.
Result<void> write_value(const fs::path& file, const std::string& value) {
  const UniqueFd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd || write(fd.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    return system_error("cannot write " + value + " to " + file.string(), errno);
  }
  return {};
}

// The number that a file holds, 0 where there is no such file.
std::uint64_t number_in(const fs::path& file) {
  std::uint64_t value = 0;
  if (const Result<std::string> text = read_file(file, kMaxFile)) {
    std::from_chars(text->data(), text->data() + text->size(), value);
  }
  return value;
}

// The number behind `key` in a file of "key number" lines; 0 where there is none.
std::uint64_t counter(const fs::path& file, std::string_view key) {
  const Result<std::string> text = read_file(file, kMaxFile);
  if (!text) {
    return 0;
  }
  for (const std::string_view line : split(*text, '\n')) {
    if (line.starts_with(key) && line.substr(key.size()).starts_with(' ')) {
      std::uint64_t value = 0;
      std::from_chars(line.data() + key.size() + 1, line.data() + line.size(), value);
      return value;
    }
  }
  return 0;
}

}  // namespace

Result<ControlGroup> ControlGroup::create(GroupVersion version,
                                          const std::vector<Controller>& controllers,
                                          const std::string& name,
                                          const ControlGroupLimits& limits) {
  ControlGroup group(version, limits);
  for (const Controller& controller : controllers) {
    const fs::path folder = controller.parent / name;
    if (std::find(group.folders_.begin(), group.folders_.end(), folder) == group.folders_.end()) {
      HONE_CHECK(group.make_folder(folder));
    }
    HONE_CHECK(group.set_limits(controller, folder));
  }
  return group;
}

ControlGroup::ControlGroup(ControlGroup&& other) noexcept
    : version_(other.version_),
      limits_(other.limits_),
      folders_(std::exchange(other.folders_, {})) {}

ControlGroup::~ControlGroup() {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (const fs::path& folder : folders_) {
    // Busy until the kernel has buried the last member.
    while (rmdir(folder.c_str()) != 0) {
      if (errno != EBUSY || std::chrono::steady_clock::now() > patience) {
        log_warning("control_group_left", {{"folder", folder.string()}, {"errno", errno}});
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

Result<void> ControlGroup::make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0755) != 0) {
    if (errno == EEXIST) {
      return fail(ErrorCode::conflict, "there is a control group " + folder.string());
    }
    return system_error("cannot make the control group " + folder.string(), errno);
  }
  folders_.push_back(folder);
  return {};
}

Result<void> ControlGroup::set_limits(const Controller& controller, const fs::path& folder) {
  std::error_code ignored;
  if (controller.name == "memory" && limits_.memory_bytes > 0) {
    const std::string bytes = std::to_string(limits_.memory_bytes);
    const bool v2 = version_ == GroupVersion::v2;
    HONE_CHECK(write_value(folder / (v2 ? "memory.max" : "memory.limit_in_bytes"), bytes));
    // Swap would only make the end slower. Version 1 counts memory and swap together.
    const fs::path swap = folder / (v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes");
    if (fs::exists(swap, ignored)) {
      HONE_CHECK(write_value(swap, v2 ? "0" : bytes));
    }
  }
  if (controller.name == "pids" && limits_.processes > 0) {
    HONE_CHECK(write_value(folder / "pids.max",
                           std::to_string(limits_.processes + limits_.own_processes)));
  }
  if (controller.name == "cpuset") {
    // Version 1 makes an empty set, in which nothing can run.
    for (const char* file : {"cpuset.mems", "cpuset.cpus"}) {
      if (version_ == GroupVersion::v1) {
        HONE_TRY(const std::string above, read_file(controller.parent / file, kMaxFile));
        HONE_CHECK(write_value(folder / file, std::string(trim(above))));
      }
    }
    if (limits_.cpu) {
      HONE_CHECK(write_value(folder / "cpuset.cpus", std::to_string(*limits_.cpu)));
    }
  }
  return {};
}

std::vector<fs::path> ControlGroup::member_files() const {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders_) {
    files.push_back(folder / "cgroup.procs");
  }
  return files;
}

// Version 2 counts how often memory could not be had within the group's own limit. Version 1 tells
// the most that was in use, which is at the limit whenever the kernel kills for it (but for the
// allocation it kills for, of eight pages at most), and also when files that were read or written
// had filled the group without harm: should the machine then run out of memory as well, the limit
// is blamed. Its counts of failures are no help: of memory with swap some kernels keep none.
bool ControlGroup::used_up_memory(const fs::path& folder) const {
  if (version_ == GroupVersion::v2) {
    return counter(folder / "memory.events", "oom") > 0;
  }
  const std::uint64_t most = std::max(number_in(folder / "memory.max_usage_in_bytes"),
                                      number_in(folder / "memory.memsw.max_usage_in_bytes"));
  const auto last = 8 * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limits_.memory_bytes > 0 && most + last >= limits_.memory_bytes;
}

// By anybody's limit, the machine's end included.
std::uint64_t ControlGroup::killed_for_memory(const fs::path& folder) const {
  return counter(folder / (version_ == GroupVersion::v2 ? "memory.events" : "memory.oom_control"),
                 "oom_kill");
}

bool ControlGroup::killed_for_others() const {
  return std::any_of(folders_.begin(), folders_.end(), [this](const fs::path& folder) {
    return killed_for_memory(folder) > 0 && !used_up_memory(folder);
  });
}

std::string ControlGroup::limit_met() const {
  for (const fs::path& folder : folders_) {
    if (limits_.memory_bytes > 0 && killed_for_memory(folder) > 0 && used_up_memory(folder)) {
      return "needed more than its " + std::to_string(limits_.memory_bytes >> 20U) +
             " MiB of memory, all its processes together";
    }
    if (limits_.processes > 0 && counter(folder / "pids.events", "max") > 0) {
      return "wanted more than " + std::to_string(limits_.processes) + " processes at once";
    }
  }
  return {};
}

}  // namespace hone
