#include "common/protocol/machine_info.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {

MachineInfo machine_info() {
  MachineInfo info;
  utsname names{};
  if (uname(&names) == 0) {
    info.host = names.nodename;
    info.kernel = std::string(names.sysname) + " " + names.release;
  }
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    info.cpus = CPU_COUNT(&allowed);
  }
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    info.memory_mib = (static_cast<std::int64_t>(pages) * page) >> 20;
  }
  const Result<std::string> cpus = read_file("/proc/cpuinfo", std::size_t{16} << 20U);
  if (cpus) {
    for (const std::string_view line : split(*cpus, '\n')) {
      if (line.starts_with("model name")) {
        info.cpu_model = trim(line.substr(std::min(line.find(':') + 1, line.size())));
        break;
      }
    }
  }
  return info;
}

}  // namespace hone
