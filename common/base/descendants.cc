#include "common/base/descendants.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>

namespace hone {
namespace {

// One line of the process table.
struct ProcessEntry {
  pid_t process;
  pid_t parent;
  bool ours;
};
constexpr std::size_t kMaxProcesses = 65536;

// The parent of a process, from /proc/N/stat, or 0 if it is gone. Its name stands in parentheses
// and may hold anything, so the fields start after the last ')': state, then parent.
pid_t parent_of(pid_t process) {
  char path[32] = "/proc/";
  char digits[16];
  int length = 0;
  for (pid_t n = process; n > 0; n /= 10) {
    digits[length++] = static_cast<char>('0' + n % 10);
  }
  std::size_t at = std::strlen(path);
  while (length > 0) {
    path[at++] = digits[--length];
  }
  std::memcpy(path + at, "/stat", sizeof "/stat");
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return 0;
  }
  char text[512];
  const ssize_t got = read(file, text, sizeof text);
  close(file);
  ssize_t bracket = got - 1;
  while (bracket >= 0 && text[bracket] != ')') {
    --bracket;
  }
  if (bracket < 0) {
    return 0;
  }
  pid_t parent = 0;
  for (ssize_t i = bracket + 4; i < got && text[i] >= '0' && text[i] <= '9'; ++i) {
    parent = parent * 10 + (text[i] - '0');
  }
  return parent;
}

// Reads /proc with the bare system call: opendir allocates, which is not allowed after fork.
// (/proc/N/task/N/children would be shorter, but many kernels are built without it.)
std::size_t read_process_table(ProcessEntry* table) {
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    return 0;
  }
  std::size_t count = 0;
  alignas(8) char entries[16384];
  long got = 0;
  while ((got = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long at = 0; at < got;) {
      // struct linux_dirent64: u64 inode, s64 offset, u16 record length, u8 type, name.
      unsigned short length = 0;
      std::memcpy(&length, entries + at + 16, sizeof length);
      const char* name = entries + at + 19;
      at += length;
      pid_t process = 0;
      for (; *name >= '0' && *name <= '9'; ++name) {
        process = process * 10 + (*name - '0');
      }
      if (*name == '\0' && process > 0 && count < kMaxProcesses) {
        table[count++] = {process, parent_of(process), false};
      }
    }
  }
  close(folder);
  return count;
}

}  // namespace

void kill_descendants(pid_t group) {
  static ProcessEntry table[kMaxProcesses];  // the guardian has one thread
  kill(-group, SIGKILL);
  while (true) {
    int status = 0;
    pid_t reaped = 0;
    while ((reaped = waitpid(-1, &status, WNOHANG)) > 0) {
    }
    if (reaped < 0 && errno == ECHILD) {
      return;
    }
    const std::size_t count = read_process_table(table);
    const pid_t self = getpid();
    for (bool found = true; found;) {
      found = false;
      for (std::size_t i = 0; i < count; ++i) {
        bool ours = table[i].parent == self;
        for (std::size_t j = 0; !ours && !table[i].ours && j < count; ++j) {
          ours = table[j].ours && table[j].process == table[i].parent;
        }
        if (ours && !table[i].ours) {
          table[i].ours = true;
          found = true;
          kill(table[i].process, SIGKILL);
        }
      }
    }
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace hone
