#include "server/api/process_use.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMaxProcFile = 65536;

// Fields of /proc/self/stat behind the name, which may hold blanks: field 3 of proc(5) is [0].
std::vector<std::string_view> stat_fields(const std::string& text) {
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos || close + 2 > text.size()) {
    return {};
  }
  return split(std::string_view(text).substr(close + 2), ' ');
}

double seconds_now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

ProcessUse process_use() {
  ProcessUse use;
  rusage self{};
  if (getrusage(RUSAGE_SELF, &self) == 0) {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    use.cpu_seconds = seconds(self.ru_utime) + seconds(self.ru_stime);
  }
  if (const Result<std::string> text = read_file("/proc/self/stat", kMaxProcFile)) {
    const std::vector<std::string_view> fields = stat_fields(*text);
    if (fields.size() > 21) {
      const double ticks = std::stod(std::string(fields[19]));  // since the machine started
      use.started_at = seconds_now(CLOCK_REALTIME) - seconds_now(CLOCK_BOOTTIME) +
                       ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
      use.virtual_bytes = std::stoll(std::string(fields[20]));
      use.resident_bytes = std::stoll(std::string(fields[21])) * sysconf(_SC_PAGESIZE);
    }
  }
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (!error) {
    use.open_files = std::distance(begin(files), end(files)) - 1;  // less the one that looks
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    use.most_files = static_cast<std::int64_t>(limit.rlim_cur);
  }
  return use;
}

}  // namespace hone
