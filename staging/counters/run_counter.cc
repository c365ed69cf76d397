#include "staging/counters/run_counter.h"

#include "staging/counters/callgrind_counter.h"
#include "staging/counters/energy_counter.h"
#include "staging/counters/perf_counter.h"

namespace hone {
namespace {

template <class Counter>
Result<std::unique_ptr<RunCounter>> owned(Result<Counter> counter) {
  if (!counter) {
    return counter.error().within("this machine cannot measure it");
  }
  return std::unique_ptr<RunCounter>(std::make_unique<Counter>(*std::move(counter)));
}

}  // namespace

Result<std::unique_ptr<RunCounter>> make_run_counter(Metric metric,
                                                     const std::filesystem::path& folder) {
  Result<std::unique_ptr<RunCounter>> made(std::unique_ptr<RunCounter>{});
  switch (metric) {
    case Metric::instructions:
      made = owned(CallgrindCounter::create(folder));
      break;
    case Metric::hardware_instructions:
      made = owned(PerfCounter::create(kHardwareInstructions));
      break;
    case Metric::cycles:
      made = owned(PerfCounter::create(kCycles));
      break;
    case Metric::energy:
      made = owned(EnergyCounter::create());
      break;
    case Metric::cpu_time:
    case Metric::wall_time:
    case Metric::printed:
    case Metric::peak_rss_bytes:
    case Metric::text_bytes:
    case Metric::binary_bytes:
    case Metric::compile_time:
      break;
  }
  if (!made) {
    return made.error().within("metric " + std::string(to_string(metric)));
  }
  return made;
}

}  // namespace hone
