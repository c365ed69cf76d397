// sandbox_cost PAIRS PROGRAM [ARGUMENTS...]: runs the program PAIRS times with and without sandbox,
// in random order, on one processor, and prints a CSV line for each pair (seconds): the program's
// own processor and wall time as a measurement would see them, and the time of the whole call. For
// tests/e2e/sandbox_attacks.sh. Exit code 1 where the machine does not allow the whole sandbox.

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "common/base/subprocess.h"
#include "staging/sandbox/sandbox_support.h"

namespace hone {
namespace {

struct Times {
  double cpu = 0;
  double wall = 0;
  double total = 0;
};

Result<Times> timed_run(const Sandbox& sandbox, const Command& command, const SandboxView& view) {
  const auto started = std::chrono::steady_clock::now();
  HONE_TRY(const SandboxReport report, sandbox.run(command, view));
  const double total =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (!report.run.ok()) {
    return fail(ErrorCode::unavailable, report.run.describe_end() + ": " + report.run.stderr_text);
  }
  return Times{report.run.cpu_seconds, report.run.wall_seconds, total};
}

int last_cpu() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    last = CPU_ISSET(static_cast<std::size_t>(cpu), &allowed) ? cpu : last;
  }
  return last;
}

Result<void> measure(int pairs, const std::vector<std::string>& program) {
  SandboxSettings settings;
  settings.init = std::filesystem::path(HONE_BINARY_DIR) / "bin/hone-sandbox-init";
  if (geteuid() == 0) {
    settings.run_as = RunAs{65534, 65534};
  }
  const Sandbox sandbox = find_sandbox(settings);
  if (!sandbox.warnings().empty()) {
    return fail(ErrorCode::unavailable, sandbox.warnings().front());
  }
  Command command;
  command.arguments = program;
  command.environment = {"PATH=/usr/bin:/bin", "LANG=C"};
  command.working_folder = "/tmp";
  command.run_as = settings.run_as;
  command.cpu = last_cpu();
  command.limits.wall_time = std::chrono::seconds(60);
  command.limits.processes = 512;
  SandboxView view;
  view.memory_bytes = std::uint64_t{4} << 30U;
  std::mt19937 random(1);
  std::puts("plain_cpu,plain_wall,plain_total,sandboxed_cpu,sandboxed_wall,sandboxed_total");
  // The first pair warms up: files are read from disk, the kernel's tables grow.
  for (int pair = -1; pair < pairs; ++pair) {
    const bool plain_first = random() % 2 == 0;
    Times plain;
    Times locked;
    for (const bool in_sandbox : {!plain_first, plain_first}) {
      Times& times = in_sandbox ? locked : plain;
      HONE_TRY(times, timed_run(in_sandbox ? sandbox : Sandbox(), command, view));
    }
    if (pair >= 0) {
      std::printf("%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", plain.cpu, plain.wall, plain.total, locked.cpu,
                  locked.wall, locked.total);
    }
  }
  return {};
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const int pairs = argc > 2 ? std::atoi(argv[1]) : 0;
  if (pairs < 1) {
    std::fputs("usage: sandbox_cost PAIRS PROGRAM [ARGUMENTS...]\n", stderr);
    return 2;
  }
  const hone::Result<void> done = hone::measure(pairs, {argv + 2, argv + argc});
  if (!done) {
    std::fprintf(stderr, "sandbox_cost: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
