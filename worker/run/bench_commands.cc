#include "worker/run/bench_commands.h"

namespace hone {

Result<BenchCommands> bench_commands(const BenchmarkSpec& benchmark,
                                     const std::filesystem::path& source,
                                     const std::filesystem::path& build) {
  BenchCommands commands;
  const auto add = [&](const Arguments& words, const std::string& file) -> Result<void> {
    HONE_TRY(Arguments command, expand(words, {{"{source}", source.string()},
                                               {"{build}", build.string()},
                                               {"{input}", (source / file).string()}}));
    commands.places.push_back(std::move(command));
    return {};
  };
  if (benchmark.inputs.empty()) {
    HONE_CHECK(add(benchmark.command, ""));
  }
  for (const InputSpec& input : benchmark.inputs) {
    HONE_CHECK(add(benchmark.command, input.file));
  }
  for (const CheckSpec& check : benchmark.checks) {
    if (!check.command.empty()) {
      commands.own.insert(commands.places.size());
    }
    HONE_CHECK(add(check.command.empty() ? benchmark.command : check.command, check.file));
  }
  return commands;
}

}  // namespace hone
