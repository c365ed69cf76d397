#include "build_integration/launcher/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMaxProcesses = 4096;
constexpr std::size_t kMaxText = 65536;

template <class Number>
Number number_of(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string read_text(const std::string& path) {
  Result<std::string> text = read_file(path, kMaxText);
  return text.has_value() ? *std::move(text) : std::string();
}

struct ProcessState {
  pid_t session = -1;
  double cpu_seconds = 0;
};

// proc(5): the fields behind the command's name, which is in parentheses and may hold any.
ProcessState state_of(const std::string& folder) {
  const std::string text = read_text(folder + "/stat");
  const std::size_t end = text.rfind(')');
  const std::vector<std::string_view> fields =
      split(std::string_view(text).substr(end == text.npos ? text.size() : end + 1), ' ');
  constexpr std::size_t kSession = 4;  // field 6; [0] is empty, [1] the third field
  constexpr std::size_t kUserTime = 12;
  constexpr std::size_t kEnd = kUserTime + 4;
  ProcessState state;
  if (fields.size() < kEnd) {
    return state;
  }
  state.session = number_of<pid_t>(fields[kSession]);
  std::int64_t ticks = 0;
  for (std::size_t i = kUserTime; i < kEnd; ++i) {  // utime stime cutime cstime
    ticks += number_of<std::int64_t>(fields[i]);
  }
  state.cpu_seconds = static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return state;
}

// Appends the children of all threads of a process.
void append_children(const std::string& folder, std::vector<pid_t>& processes) {
  const std::string tasks = folder + "/task";
  DIR* const listing = ::opendir(tasks.c_str());
  if (listing == nullptr) {
    return;
  }
  while (const dirent* entry = ::readdir(listing)) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    const std::string text = read_text(tasks + '/' + entry->d_name + "/children");
    for (const std::string_view word : split(trim(text), ' ')) {
      const auto child = number_of<pid_t>(word);
      if (child > 1 && processes.size() < kMaxProcesses) {
        processes.push_back(child);
      }
    }
  }
  ::closedir(listing);
}

}  // namespace

ProcessTree look_at_processes(pid_t root) {
  const pid_t session = ::getsid(root);
  ProcessTree tree;
  std::vector<pid_t> found = {root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string folder = "/proc/" + std::to_string(found[i]);
    const ProcessState state = state_of(folder);
    if (i > 0 && state.session != session) {
      continue;
    }
    tree.processes.push_back(found[i]);
    tree.cpu_seconds += state.cpu_seconds;
    append_children(folder, found);
  }
  return tree;
}

void signal_processes(const ProcessTree& tree, int signal) {
  for (const pid_t process : tree.processes) {
    ::kill(process, signal);
  }
}

}  // namespace hone
