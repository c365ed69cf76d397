// Counts events of a program and everything it starts through perf_event_open(2), outside of the
// kernel: what the processor's own counters tell, where machine and kernel give them. Virtual
// machines mostly have none. Not thread safe.
//
// The event belongs to the thread that runs the program, is inherited, and starts to count in each
// process that becomes a program by exec: neither we nor the guardian are counted, but in a sandbox
// the programs that make it are, some million instructions.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/file.h"
#include "staging/counters/run_counter.h"

namespace hone {

// As in perf_event_attr.
struct PerfEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};
extern const PerfEvent kHardwareInstructions;
extern const PerfEvent kCycles;

// Why the event cannot be counted here, and what would help. `paranoid`: the content of
// /proc/sys/kernel/perf_event_paranoid, empty if it is not there.
Error perf_refusal(int errno_value, std::string_view paranoid);

class PerfCounter final : public RunCounter {
 public:
  // unsupported with the reason, if the kernel does not let us count this event.
  static Result<PerfCounter> create(const PerfEvent& event);

  Result<void> start(Command& command, SandboxView& view) override;
  // Where others use the counters as well, what was counted while it was on, extrapolated.
  // unavailable if it never was.
  Result<double> finish() override;

 private:
  explicit PerfCounter(const PerfEvent& event) : event_(event) {}
  static Result<UniqueFd> open(const PerfEvent& event);

  PerfEvent event_;
  UniqueFd counting_;
};

}  // namespace hone
