#include "worker/client/slot_lock.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace hone {
namespace {

// In a folder that everybody may write to, O_CREAT on another user's file is refused even to root
// (fs.protected_regular): open first, create only what is missing.
UniqueFd open_lock(const std::filesystem::path& file) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd lock(open(file.c_str(), kFlags));
  if (!lock && errno == ENOENT) {
    lock = UniqueFd(open(file.c_str(), kFlags | O_CREAT | O_EXCL, 0666));
    if (lock) {
      fchmod(lock.get(), 0666);  // the umask took bits; other users' workers lock it too
    } else if (errno == EEXIST) {
      lock = UniqueFd(open(file.c_str(), kFlags));
    }
  }
  return lock;
}

std::vector<int> usable_cpus() {
  std::vector<int> list;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) {
        list.push_back(cpu);
      }
    }
  }
  return list;
}

}  // namespace

Result<UniqueFd> lock_file(const std::filesystem::path& file, std::chrono::milliseconds patience) {
  UniqueFd lock = open_lock(file);
  if (!lock) {
    return system_error("cannot open " + file.string(), errno);
  }
  const auto end = std::chrono::steady_clock::now() + patience;
  while (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return system_error("cannot lock " + file.string(), errno);
    }
    if (std::chrono::steady_clock::now() >= end) {
      return fail(ErrorCode::conflict, file.string() + " is held by another process");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return lock;
}

Result<std::vector<LockedCpu>> lock_cpus(const std::filesystem::path& folder, std::size_t count,
                                         const std::vector<int>& wanted,
                                         std::chrono::milliseconds patience) {
  const std::vector<int> usable = usable_cpus();
  for (const int cpu : wanted) {
    if (std::find(usable.begin(), usable.end(), cpu) == usable.end()) {
      return fail(ErrorCode::invalid_argument,
                  "this process may not use processor " + std::to_string(cpu));
    }
  }
  if (usable.size() < count) {
    return fail(ErrorCode::invalid_argument,
                "--slots " + std::to_string(count) + ", but this process may use " +
                    std::to_string(usable.size()) +
                    " processors only, and each slot takes one of its own: use fewer --slots");
  }
  std::vector<LockedCpu> locked;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    for (const int cpu : wanted.empty() ? usable : wanted) {
      const bool ours = std::any_of(locked.begin(), locked.end(),
                                    [&](const LockedCpu& other) { return other.cpu == cpu; });
      if (locked.size() == count || ours) {
        continue;
      }
      Result<UniqueFd> lock = lock_file(folder / ("hone-cpu-" + std::to_string(cpu) + ".lock"),
                                        std::chrono::milliseconds(0));
      if (lock) {
        locked.push_back({cpu, *std::move(lock)});
      } else if (lock.error().code != ErrorCode::conflict) {
        return lock.error();
      }
    }
    if (locked.size() == count) {
      return locked;
    }
    if (std::chrono::steady_clock::now() >= end) {
      return fail(ErrorCode::conflict,
                  "only " + std::to_string(locked.size()) + " of " + std::to_string(count) +
                      " benchmark slots have a processor of their own: other workers hold the "
                      "rest (locks in " +
                      folder.string() + "); use fewer --slots");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace hone
