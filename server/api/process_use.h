// What this process has used, for /metrics. Thread safe.
#pragma once

#include <cstdint>

namespace hone {

// What cannot be read is 0.
struct ProcessUse {
  double cpu_seconds = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t virtual_bytes = 0;
  std::int64_t open_files = 0;
  std::int64_t most_files = 0;
  double started_at = 0;  // seconds since 1970
};
ProcessUse process_use();

}  // namespace hone
