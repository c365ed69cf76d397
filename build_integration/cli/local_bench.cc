#include "build_integration/cli/local_bench.h"

#include <cstdlib>

#include "build_integration/cli/command_words.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLink = "{link}";

bool names_links(const Arguments& command) {
  for (const std::string& word : command) {
    if (word.find(kLink) != std::string::npos) {
      return true;
    }
  }
  return false;
}

Arguments with_link(Arguments command, std::size_t link) {
  const std::string number = std::to_string(link);
  for (std::string& word : command) {
    for (std::size_t at = word.find(kLink); at != std::string::npos;
         at = word.find(kLink, at + number.size())) {
      word.replace(at, kLink.size(), number);
    }
  }
  return command;
}

}  // namespace

Result<LocalBench> LocalBench::create(const LocalBenchSettings& settings) {
  HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("hone-bench"));
  RunnerSettings runner_settings;
  runner_settings.folder = folder.path();
  std::error_code error;
  runner_settings.working_folder = fs::current_path(error);
  if (error) {
    return system_error("cannot tell the current folder", error.value());
  }
  if (const char* const path = std::getenv("PATH"); path != nullptr) {
    runner_settings.environment.push_back(std::string("PATH=") + path);
  }
  runner_settings.environment.insert(runner_settings.environment.end(),
                                     settings.environment.begin(), settings.environment.end());
  runner_settings.time_limit = settings.time_limit;
  // The user's own programs: what they need is not ours to limit, but for what a run may print.
  runner_settings.memory_bytes = 0;
  runner_settings.processes = 0;
  HONE_TRY(BenchmarkRunner runner, BenchmarkRunner::create(runner_settings, settings.metric));
  LocalBench bench(std::move(folder), std::move(runner));
  const std::string* const texts[2] = {&settings.baseline, &settings.candidate};
  for (std::size_t side = 0; side < 2; ++side) {
    HONE_TRY(const Arguments command, command_words(*texts[side]));
    if (names_links(command) != (settings.links > 1)) {
      return fail(ErrorCode::invalid_argument,
                  settings.links > 1
                      ? "--links " + std::to_string(settings.links) + " but no {link} in '" +
                            *texts[side] + "'"
                      : "{link} in '" + *texts[side] + "' needs --links N, at least 2");
    }
    for (std::size_t link = 0; link < settings.links; ++link) {
      bench.commands_[side].push_back(with_link(command, link));
    }
  }
  return bench;
}

BenchmarkRun LocalBench::run(const BenchRun& wanted, const std::stop_token& stop) {
  const std::size_t side = wanted.role == SampleRole::baseline ? 0 : 1;
  return runner_.run(commands_[side][wanted.layout], wanted.padding, stop);
}

}  // namespace hone
