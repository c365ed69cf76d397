#include "build_integration/cli/local_bench.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "build_integration/cli/command_words.h"
#include "build_integration/cli/program_size.h"
#include "common/base/text.h"
#include "staging/runner/output_files.h"
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

Error cannot_run(const std::string& text, const std::string& program, int reason) {
  return fail(ErrorCode::invalid_argument,
              "'" + text + "': cannot run " + program + ": " + std::strerror(reason));
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
      return cannot_run(text, program, errno);
    }
  }
  return commands;
}

// The program of a command with each check's arguments instead of its own.
Result<std::vector<Arguments>> checks_of(const Arguments& command,
                                         const std::vector<std::string>& checks) {
  std::vector<Arguments> commands;
  for (const std::string& check : checks) {
    commands.push_back({command.front()});
    if (!trim(check).empty()) {
      HONE_TRY(const Arguments words, command_words(check));
      commands.back().insert(commands.back().end(), words.begin(), words.end());
    }
  }
  return commands;
}

// Nothing of the user's own is ever removed for what the programs write.
Result<void> refuse_what_is_there(const fs::path& folder, const std::vector<std::string>& files) {
  const UniqueFd open_folder(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open_folder) {
    return system_error("cannot read " + folder.string(), errno);
  }
  HONE_TRY(const std::vector<std::string> there, find_output_files(open_folder.get(), files));
  if (!there.empty()) {
    return fail(ErrorCode::invalid_argument,
                "--output: '" + there.front() +
                    "' is there already, and each run's is removed after it: move it away");
  }
  return {};
}

}  // namespace

Result<LocalBench> LocalBench::create(const LocalBenchSettings& settings) {
  if (settings.candidates.empty() || settings.candidates.size() > kMaxRaceCandidates) {
    return fail(ErrorCode::invalid_argument,
                "--candidate: " + std::to_string(settings.candidates.size()) + " of them, 1 to " +
                    std::to_string(kMaxRaceCandidates) + " are possible");
  }
  const Metric metric = settings.metric.metric;
  if (settings.links > 1 && is_repeatable(metric)) {
    return fail(ErrorCode::invalid_argument,
                "--links " + std::to_string(settings.links) + ": metric " +
                    std::string(to_string(metric)) +
                    " takes one link, where the code lies makes no difference to it");
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
  runner_settings.compared = settings.compared;
  HONE_CHECK(refuse_what_is_there(runner_settings.working_folder, settings.compared.files));
  HONE_TRY(BenchmarkRunner runner, BenchmarkRunner::create(runner_settings, settings.metric));
  HONE_TRY(BenchmarkRunner plain_runner, BenchmarkRunner::create(runner_settings, {}));
  LocalBench bench(std::move(folder), std::move(runner), std::move(plain_runner));
  std::vector<std::string> texts = {settings.baseline};
  texts.insert(texts.end(), settings.candidates.begin(), settings.candidates.end());
  for (const std::string& text : texts) {
    HONE_TRY(std::vector<Arguments> commands, commands_of(text, settings.links));
    if (is_file_size(metric)) {
      HONE_TRY(const double size, program_size(commands.front(), settings.environment, metric));
      bench.sizes_.push_back(size);
    }
    HONE_TRY(std::vector<Arguments> checks, checks_of(commands.front(), settings.checks));
    bench.commands_.push_back(std::move(commands));
    bench.checks_.push_back(std::move(checks));
  }
  return bench;
}

std::optional<double> LocalBench::known_value(const BenchRun& wanted) const {
  return sizes_.empty() ? std::nullopt : std::optional(sizes_[side_of(wanted)]);
}

BenchmarkRun LocalBench::run(const BenchRun& wanted, const std::stop_token& stop) {
  if (wanted.input > 0) {
    return plain_runner_.run(checks_[side_of(wanted)][wanted.input - 1], wanted.padding, stop);
  }
  return runner_.run(commands_[side_of(wanted)][wanted.layout], wanted.padding, stop, {},
                     wanted.purpose);
}

}  // namespace hone
