// What the processes of a step hold although no folder shows it: files that were deleted, or never
// had a name, and that somebody has open or mapped. Their blocks are on the disk all the same.
//
// A process is looked at thread by thread, since each may have a table of files of its own. What
// ends meanwhile is passed over. A file on its way between two processes (SCM_RIGHTS) is nobody's
// for that moment, and not seen. Thread safe for distinct sets.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

namespace hone {

// Which processes are a step's: all that descend from its guardian (subprocess.h), which is the
// subreaper of whatever loses its parent.
struct StepProcesses {
  // As of Command::guardian; its file descriptors are the worker's. Null: there are none.
  const std::atomic<pid_t>* guardian = nullptr;
  // So many generations below it are the sandbox's own (Sandbox::own_generations), which hold
  // nothing and may not be looked at by everyone.
  int own_generations = 0;
};

using Inode = std::pair<dev_t, ino_t>;

struct HeldFiles {
  std::uint64_t bytes = 0;  // on disk
  std::uint64_t entries = 0;
  std::set<Inode> inodes;  // each counted once, whoever holds it
  // Not, if a process could not be looked at (of another user, or one that forbids it), or if there
  // were more files or it took longer than the limits of held_files.cc. There may then be more.
  bool complete = true;
};

// Of the file systems that these folders are on. Nothing once the step has ended.
HeldFiles held_files(const StepProcesses& step, const std::vector<std::filesystem::path>& folders);

}  // namespace hone
