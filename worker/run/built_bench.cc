#include "worker/run/built_bench.h"

#include <chrono>

namespace hone {

namespace fs = std::filesystem;

Result<BuiltBench> BuiltBench::create(const Workspace& workspace, const Slot& slot,
                                      const WorkspaceContext& context) {
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
  HONE_TRY(BenchmarkRunner runner, BenchmarkRunner::create(settings, spec.metric));
  BuiltBench bench(std::move(runner));
  std::vector<InputSpec> inputs = spec.inputs;
  if (inputs.empty()) {
    inputs.emplace_back();
  }
  bench.layouts_ = find_layouts(workspace.target(), context.toolchain, builds[0], builds[1]);
  for (int side = 0; side < 2; ++side) {
    bench.builds_[side] = builds[side];
    for (const InputSpec& input : inputs) {
      HONE_TRY(Arguments command,
               expand(spec.command, {{"{source}", workspace.source().string()},
                                     {"{build}", builds[side].string()},
                                     {"{input}", (workspace.source() / input.file).string()}}));
      bench.commands_[side].push_back(std::move(command));
    }
  }
  return bench;
}

BenchmarkRun BuiltBench::run(const BenchRun& wanted, const std::stop_token& stop) {
  const std::size_t side = wanted.role == SampleRole::baseline ? 0 : 1;
  BenchmarkRun made = runner_.run(commands_[side][wanted.input], wanted.padding, stop,
                                  layout_file(layouts_, builds_[side], wanted.layout));
  if (made.error && made.error->code == ErrorCode::unavailable) {
    trouble_ = made.error;
  }
  return made;
}

}  // namespace hone
