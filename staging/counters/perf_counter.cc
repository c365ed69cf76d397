#include "staging/counters/perf_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr const char* kParanoid = "/proc/sys/kernel/perf_event_paranoid";

// As PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING has it; nanoseconds.
struct Count {
  std::uint64_t value = 0;
  std::uint64_t enabled = 0;
  std::uint64_t running = 0;
};

}  // namespace

const PerfEvent kHardwareInstructions{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
const PerfEvent kCycles{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};

Error perf_refusal(int errno_value, std::string_view paranoid) {
  std::string why;
  switch (errno_value) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      why =
          "the kernel sees no such counter of the processor; virtual machines mostly have none: "
          "let this one have them (a virtual PMU), or take a machine of its own";
      break;
    case EACCES:
    case EPERM:
      why = "the kernel does not let us count (kernel.perf_event_paranoid is " +
            std::string(paranoid.empty() ? "unknown" : trim(paranoid)) +
            "): set it to 2 or less, or run as root; in a container, allow perf_event_open";
      break;
    case ENOSYS:
      why = "this kernel has no perf_event_open";
      break;
    default:
      why = std::string("perf_event_open: ") + std::strerror(errno_value);
  }
  return fail(ErrorCode::unsupported, std::move(why));
}

Result<UniqueFd> PerfCounter::open(const PerfEvent& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.enable_on_exec = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  UniqueFd counter(
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!counter) {
    const int reason = errno;
    const Result<std::string> paranoid = read_file(kParanoid, 64);
    return perf_refusal(reason, paranoid ? std::string_view(*paranoid) : std::string_view());
  }
  return counter;
}

Result<PerfCounter> PerfCounter::create(const PerfEvent& event) {
  HONE_TRY([[maybe_unused]] const UniqueFd trial, open(event));
  return PerfCounter(event);
}

Result<void> PerfCounter::start(Command& /*command*/, SandboxView& /*view*/) {
  HONE_TRY(counting_, open(event_));
  return {};
}

Result<double> PerfCounter::finish() {
  const UniqueFd counter = std::move(counting_);
  Count count;
  if (read(counter.get(), &count, sizeof count) != static_cast<ssize_t>(sizeof count)) {
    return system_error("cannot read the counter", errno);
  }
  if (count.running == 0) {
    return fail(ErrorCode::unavailable,
                "the counter was never on the processor: others use them all, perhaps the kernel's "
                "own watchdog (kernel.nmi_watchdog)");
  }
  return static_cast<double>(count.value) * static_cast<double>(count.enabled) /
         static_cast<double>(count.running);
}

}  // namespace hone
