#include "worker/run/built_bench.h"

#include <chrono>

#include "worker/build/binaries.h"

namespace hone {

namespace fs = std::filesystem;

Result<BuiltBench> BuiltBench::create(const Workspace& workspace, const Slot& slot,
                                      const WorkspaceContext& context, const BuiltFiles& files) {
  const BenchmarkSpec& spec = workspace.target().benchmark;
  RunnerSettings settings;
  settings.folder = workspace.bench(slot.number);
  settings.run_as = context.users.of(slot.number).run_as;
  settings.cpu = slot.cpu;
  settings.time_limit = std::chrono::seconds(spec.timeout_seconds);
  settings.memory_bytes = static_cast<std::uint64_t>(spec.memory_mib) << 20U;
  const fs::path builds[2] = {workspace.baseline_build(), workspace.candidate_build(slot.number)};
  settings.sandbox = context.sandbox;
  settings.readable = {workspace.source(), builds[0], builds[1]};
  settings.compared = compared_outputs(spec);
  HONE_TRY(BenchmarkRunner runner, BenchmarkRunner::create(settings, spec.metric));
  HONE_TRY(BenchmarkRunner plain_runner, BenchmarkRunner::create(settings, {}));
  BuiltBench bench(std::move(runner), std::move(plain_runner));
  bench.layouts_ = find_layouts(workspace.target(), context.toolchain, builds[0], builds[1]);
  for (int side = 0; side < 2; ++side) {
    bench.builds_[side] = builds[side];
    if (is_file_size(spec.metric.metric)) {
      HONE_TRY(bench.sizes_[side],
               total_size(side == 0 ? files.baseline : files.candidate, spec.metric.metric));
    }
    HONE_TRY(bench.commands_[side], bench_commands(spec, workspace.source(), builds[side]));
  }
  return bench;
}

BenchmarkRun BuiltBench::run(const BenchRun& wanted, const std::stop_token& stop) {
  const std::size_t side = side_of(wanted);
  const BenchCommands& commands = commands_[side];
  BenchmarkRunner& runner = commands.own.contains(wanted.input) ? plain_runner_ : runner_;
  BenchmarkRun made =
      runner.run(commands.places[wanted.input], wanted.padding, stop,
                 layout_file(layouts_, builds_[side], wanted.layout), wanted.purpose);
  if (made.error && made.error->code == ErrorCode::unavailable) {
    trouble_ = made.error;
  }
  return made;
}

}  // namespace hone
