#include "server/api/process_metrics.h"

#include <algorithm>

namespace hone {

ProcessMetrics::ProcessMetrics(prometheus::Registry& registry)
    : cpu_(add_counters(registry, "process_cpu_seconds_total",
                        "User and system CPU time of honed itself, in seconds")),
      rss_(
          add_gauges(registry, "process_resident_memory_bytes", "Resident memory of honed itself")),
      vm_(add_gauges(registry, "process_virtual_memory_bytes", "Virtual memory of honed itself")),
      fds_(add_gauges(registry, "process_open_fds", "Open file descriptors of honed")),
      max_fds_(add_gauges(registry, "process_max_fds", "How many file descriptors it may have")),
      start_(add_gauges(registry, "process_start_time_seconds",
                        "When honed started, in seconds since 1970")) {}

void ProcessMetrics::set(const ProcessUse& use) {
  prometheus::Counter& cpu = cpu_.Add({});
  cpu.Increment(std::max(0.0, use.cpu_seconds - cpu.Value()));
  set_gauge(rss_, {}, use.resident_bytes);
  set_gauge(vm_, {}, use.virtual_bytes);
  set_gauge(fds_, {}, use.open_files);
  set_gauge(max_fds_, {}, use.most_files);
  set_gauge(start_, {}, use.started_at);
}

}  // namespace hone
