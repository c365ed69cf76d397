// What the sandbox's init tells the worker when the program has ended: one struct, the message of a
// socket between two programs of one build. Where a folder is to be kept, its descriptor comes with
// it (SCM_RIGHTS): a folder in memory lives as long as somebody has it open, so that the worker can
// read what the program wrote when all else of the sandbox is gone.
#pragma once

#include <cstdint>

namespace hone {

struct InitReport {
  std::int32_t start_errno = 0;  // not 0: the program could not be started
  std::int32_t wait_status = 0;  // of the program, as wait(2) gives it
  // Of the program and everything it started; nothing of the sandbox.
  std::int64_t cpu_microseconds = 0;
  std::int64_t wall_nanoseconds = 0;  // start of the program to its end
  std::int64_t peak_rss_kib = 0;      // largest single process
};

}  // namespace hone
