// Joules that the machine's processors use while a program runs, from RAPL as the kernel's powercap
// shows it: of all packages, cores and caches included, memory not. It is the whole machine's, so
// that it says something of the program only where nothing else runs: one slot, and no other work.
// The counter moves in steps of a millisecond. Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "staging/counters/run_counter.h"

namespace hone {

class EnergyCounter final : public RunCounter {
 public:
  // unsupported, with the reason, if there is no package or its counter may not be read. `root` is
  // another one in tests only.
  static Result<EnergyCounter> create(const std::filesystem::path& root = "/sys/class/powercap");

  Result<void> start(Command& command, SandboxView& view) override;
  Result<double> finish() override;

 private:
  struct Package {
    std::filesystem::path folder;
    std::uint64_t range = 0;  // microjoules; past it, the counter starts at 0 again
    std::uint64_t before = 0;
  };
  EnergyCounter() = default;

  std::vector<Package> packages_;
};

}  // namespace hone
