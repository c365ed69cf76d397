#include "build_integration/cli/local_bench.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "build_integration/cli/command_words.h"
#include "staging/verdict/race.h"

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

// The command of each link.
Result<std::vector<Arguments>> commands_of(const std::string& text, std::size_t links) {
  HONE_TRY(const Arguments command, command_words(text));
  if (names_links(command) != (links > 1)) {
    return fail(ErrorCode::invalid_argument,
                links > 1 ? "--links " + std::to_string(links) + " but no {link} in '" + text + "'"
                          : "{link} in '" + text + "' needs --links N, at least 2");
  }
  std::vector<Arguments> commands;
  for (std::size_t link = 0; link < links; ++link) {
    commands.push_back(with_link(command, link));
    const std::string& program = commands.back().front();
    if (program.find('/') != std::string::npos && ::access(program.c_str(), X_OK) != 0) {
      return fail(ErrorCode::invalid_argument,
                  "'" + text + "': cannot run " + program + ": " + std::strerror(errno));
    }
  }
  return commands;
}

}  // namespace

Result<LocalBench> LocalBench::create(const LocalBenchSettings& settings) {
  if (settings.candidates.empty() || settings.candidates.size() > kMaxRaceCandidates) {
    return fail(ErrorCode::invalid_argument,
                "--candidate: " + std::to_string(settings.candidates.size()) + " of them, 1 to " +
                    std::to_string(kMaxRaceCandidates) + " are possible");
  }
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
  std::vector<std::string> texts = {settings.baseline};
  texts.insert(texts.end(), settings.candidates.begin(), settings.candidates.end());
  for (const std::string& text : texts) {
    HONE_TRY(std::vector<Arguments> commands, commands_of(text, settings.links));
    bench.commands_.push_back(std::move(commands));
  }
  return bench;
}

BenchmarkRun LocalBench::run(const BenchRun& wanted, const std::stop_token& stop) {
  const std::size_t side = wanted.role == SampleRole::baseline ? 0 : 1 + wanted.candidate;
  return runner_.run(commands_[side][wanted.layout], wanted.padding, stop);
}

}  // namespace hone
