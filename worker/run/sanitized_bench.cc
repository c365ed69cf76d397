#include "worker/run/sanitized_bench.h"

#include <algorithm>
#include <chrono>

#include "worker/build/sanitizers.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Instrumented programs take twice to five times as long.
constexpr std::int64_t kSlowdown = 10;
constexpr std::int64_t kLongestSeconds = 3600;

// A report turns the run into one that failed; what the instrumentation may have brought about by
// itself, into one that met a limit.
void read_report(BenchmarkRun& run) {
  if (run.run_class == RunClass::stopped || run.run_class == RunClass::not_started) {
    return;
  }
  if (const std::optional<SanitizerReport> report = find_report(run.stderr_text)) {
    run.run_class = report->proves ? RunClass::failed : RunClass::limit_exceeded;
    run.reason = "a sanitizer reports:\n" + report->text + "\n";
    return;
  }
  if (run.run_class == RunClass::failed &&
      run.reason.starts_with("exit code " + std::to_string(kSanitizerExitCode))) {
    run.reason +=
        " (as sanitizers end a program; there is no report among the first 64 KiB of "
        "its standard error)";
  }
}

}  // namespace

Result<SanitizedBench> SanitizedBench::create(const Workspace& workspace,
                                              const WorkspaceContext& context, const Slot& slot,
                                              const fs::path& baseline, const fs::path& candidate) {
  BenchmarkSpec spec = workspace.target().benchmark;
  if (spec.metric.metric != Metric::printed) {
    spec.metric = {};
  }
  const auto memory = static_cast<std::uint64_t>(spec.memory_mib) << 20U;
  RunnerSettings settings;
  settings.folder = workspace.bench(slot.number);
  settings.run_as = context.users.of(slot.number).run_as;
  settings.cpu = slot.cpu;
  settings.time_limit = std::chrono::seconds(
      std::max(spec.timeout_seconds, std::min(spec.timeout_seconds * kSlowdown, kLongestSeconds)));
  settings.memory_bytes = memory_with_sanitizers(spec.sanitize, memory);
  settings.limit_address_space = !reserve_address_space(spec.sanitize);
  settings.environment = sanitizer_environment(spec.sanitize, settings.memory_bytes);
  settings.sandbox = context.sandbox;
  settings.readable = {workspace.source(), baseline, candidate};
  settings.compared = compared_outputs(spec);
  HONE_TRY(BenchmarkRunner runner, BenchmarkRunner::create(settings, spec.metric));
  HONE_TRY(BenchmarkRunner plain_runner, BenchmarkRunner::create(settings, {}));
  SanitizedBench bench(std::move(spec), std::move(runner), std::move(plain_runner));
  HONE_TRY(bench.commands_[0], bench_commands(bench.benchmark_, workspace.source(), baseline));
  HONE_TRY(bench.commands_[1], bench_commands(bench.benchmark_, workspace.source(), candidate));
  return bench;
}

BenchmarkRun SanitizedBench::run(const BenchRun& wanted, const std::stop_token& stop) {
  const BenchCommands& commands = commands_[wanted.role == SampleRole::baseline ? 0 : 1];
  BenchmarkRunner& runner = commands.own.contains(wanted.input) ? plain_runner_ : runner_;
  BenchmarkRun made =
      runner.run(commands.places[wanted.input], wanted.padding, stop, {}, wanted.purpose);
  if (made.error && made.error->code == ErrorCode::unavailable) {
    trouble_ = made.error;
  }
  read_report(made);
  return made;
}

}  // namespace hone
