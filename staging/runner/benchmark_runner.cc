#include "staging/runner/benchmark_runner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "common/base/file.h"
#include "common/base/remove_tree.h"
#include "common/base/text.h"
#include "staging/runner/output_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPrinted = std::size_t{64} << 20U;
constexpr std::size_t kReasonTail = 500;
constexpr const char* kStderrFile = "stderr";

// The last bytes of a text, from a line's start where one is near.
std::string tail(std::string_view text, std::size_t size) {
  text = trim(text);
  if (text.size() <= size) {
    return std::string(text);
  }
  text.remove_prefix(text.size() - size);
  const std::size_t line = text.find('\n');
  return "..." + std::string(line < size / 2 ? text.substr(line + 1) : text);
}

// What standard error would have been captured to, had it not gone to a file.
std::string beginning_of(const fs::path& file, std::size_t size) {
  std::ifstream input(file, std::ios::binary);
  std::string text(size, '\0');
  input.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text;
}

Result<WrittenOutput> read_stream(OutputKind kind, const fs::path& path, KeptText& kept) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) {
    return system_error("cannot read " + path.string(), errno);
  }
  return read_written(kind, "", file.get(), static_cast<std::uint64_t>(status.st_size), kept);
}

BenchmarkRun not_started(const Error& error) {
  BenchmarkRun run;
  run.run_class = RunClass::not_started;
  run.reason = error.message;
  run.error = error;
  return run;
}

// What this machine cannot do is never the program's doing, whatever the error calls it.
Error machines_trouble(const Error& error) {
  return fail(ErrorCode::unavailable, error.message);
}

// An output could not be read: past a limit, in a way that the program is to blame for, or neither.
void give_up(const Error& error, BenchmarkRun& result) {
  switch (error.code) {
    case ErrorCode::too_large:
    case ErrorCode::invalid_argument:
      result.run_class =
          error.code == ErrorCode::too_large ? RunClass::limit_exceeded : RunClass::failed;
      result.reason = error.message;
      break;
    default:
      result = not_started(machines_trouble(error));
  }
}

UniqueFd open_folder(const fs::path& folder) {
  return UniqueFd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

ComparedOutputs compared_outputs(const BenchmarkSpec& benchmark) {
  return {benchmark.outputs, benchmark.compare_stderr, benchmark.tolerance.has_value()};
}

Result<BenchmarkRunner> BenchmarkRunner::create(RunnerSettings settings, const MetricSpec& metric) {
  std::shared_ptr<const OutputMetric> printed;
  if (metric.metric == Metric::printed) {
    HONE_TRY(printed, make_output_metric(metric));
  }
  HONE_TRY(std::unique_ptr<RunCounter> counter, make_run_counter(metric.metric, settings.folder));
  return BenchmarkRunner(std::move(settings), std::move(printed), std::move(counter));
}

Result<fs::path> BenchmarkRunner::fresh_folder() const {
  fs::path folder = settings_.folder / "run";
  HONE_CHECK(remove_tree(folder));
  if (mkdir(folder.c_str(), 0700) != 0) {
    return system_error("cannot make " + folder.string(), errno);
  }
  if (settings_.run_as &&
      chown(folder.c_str(), settings_.run_as->user, settings_.run_as->group) != 0) {
    return system_error("cannot give away " + folder.string(), errno);
  }
  return folder;
}

SandboxView BenchmarkRunner::view_of(const fs::path& folder) const {
  SandboxView view;
  view.readable = settings_.readable;
  if (settings_.working_folder.empty()) {
    view.scratch = folder;
    view.scratch_bytes = settings_.scratch_bytes;
  } else {
    view.writable = {settings_.working_folder, folder};
  }
  if (settings_.memory_bytes > 0) {
    view.memory_bytes = settings_.memory_bytes + view.scratch_bytes;
  }
  return view;
}

BenchmarkRun BenchmarkRunner::run(const Arguments& command, std::size_t padding,
                                  const std::stop_token& stop, const fs::path& program,
                                  RunPurpose purpose) {
  BenchmarkRun result = run_and_read(command, padding, stop, program, purpose);
  if (!settings_.compared.files.empty() && !settings_.working_folder.empty()) {
    const Result<void> removed =
        remove_output_files(open_folder(settings_.working_folder).get(), settings_.compared.files);
    if (!removed && result.run_class == RunClass::ok) {
      give_up(removed.error(), result);
    }
  }
  return result;
}

BenchmarkRun BenchmarkRunner::run_and_read(const Arguments& command, std::size_t padding,
                                           const std::stop_token& stop, const fs::path& program,
                                           RunPurpose purpose) {
  BenchmarkRun result;
  const Result<fs::path> folder = fresh_folder();
  if (!folder) {
    return not_started(machines_trouble(folder.error()));
  }
  const fs::path output = settings_.folder / "stdout";
  Command process;
  process.arguments = command;
  process.program = program;
  process.environment = {"PATH=/usr/local/bin:/usr/bin:/bin",
                         "HOME=" + folder->string(),
                         "TMPDIR=" + folder->string(),
                         "LANG=C",
                         "TZ=UTC",
                         "HONE_PADDING=" + std::string(std::min(padding, kMaxPadding), 'x')};
  for (const std::string& variable : settings_.environment) {
    std::erase_if(process.environment, [&](const std::string& fixed) {
      return fixed.starts_with(variable.substr(0, variable.find('=') + 1));
    });
    process.environment.push_back(variable);
  }
  process.working_folder = settings_.working_folder.empty() ? *folder : settings_.working_folder;
  process.stdout_file = output;
  if (settings_.compared.standard_error) {
    process.stderr_file = settings_.folder / kStderrFile;
  }
  process.capture_limit = std::size_t{64} << 10U;
  process.limits.wall_time = settings_.time_limit;
  // Threads may use more processor time than wall time; a busy hang is ended by the latter.
  process.limits.address_space_bytes = settings_.limit_address_space ? settings_.memory_bytes : 0;
  process.limits.file_size_bytes = settings_.output_bytes;
  process.limits.processes = settings_.processes;
  process.run_as = settings_.run_as;
  process.cpu = settings_.cpu;
  SandboxView view = view_of(*folder);
  view.keep_scratch = !settings_.compared.files.empty() && !view.scratch.empty();
  Result<SandboxReport> sandboxed = run_counted(process, view, purpose, stop, result);
  if (!sandboxed) {
    return not_started(sandboxed.error());
  }
  if (!process.stderr_file.empty()) {
    sandboxed->run.stderr_text = beginning_of(process.stderr_file, process.capture_limit);
  }
  const RunReport* const report = &sandboxed->run;
  const RunEndReport end = classify(*report, process.limits, sandboxed->limit_met);
  result.run_class = end.run_class;
  result.reason = end.reason;
  result.stderr_text = report->stderr_text;
  if (end.run_class != RunClass::ok) {
    const std::string said = tail(report->stderr_text, kReasonTail);
    if (!said.empty() && end.run_class != RunClass::stopped) {
      result.reason += ", saying: " + said;
    }
    return result;
  }
  result.cpu_seconds = report->cpu_seconds;
  result.wall_seconds = report->wall_seconds;
  result.peak_rss_bytes = report->peak_rss_bytes;
  KeptText kept = settings_.compared.whole ? KeptText::whole() : KeptText::beginning();
  read_output(output, result, kept);
  if (result.run_class == RunClass::ok) {
    read_others(sandboxed->scratch.get(), result, kept);
  }
  return result;
}

Result<SandboxReport> BenchmarkRunner::run_counted(Command& process, SandboxView& view,
                                                   RunPurpose purpose, const std::stop_token& stop,
                                                   BenchmarkRun& result) {
  if (!counter_ || purpose == RunPurpose::check) {
    return settings_.sandbox.run(process, view, stop);
  }
  if (const Result<void> started = counter_->start(process, view); !started) {
    return machines_trouble(started.error());
  }
  Result<SandboxReport> ran = settings_.sandbox.run(process, view, stop);
  const Result<double> counted = counter_->finish();
  if (counted) {
    result.counted = *counted;
  } else if (ran && ran->run.ok()) {
    return machines_trouble(counted.error());
  }
  return ran;
}

void BenchmarkRunner::read_output(const fs::path& output, BenchmarkRun& result,
                                  KeptText& kept) const {
  const auto take = [&result](Result<WrittenOutput> written) {
    if (!written) {
      give_up(written.error(), result);
      return;
    }
    result.output_sha256 = written->sha256;
    result.outputs.push_back(*std::move(written));
  };
  if (!printed_) {
    take(read_stream(OutputKind::standard_output, output, kept));
    return;
  }
  const Result<std::string> text = read_file(output, kMaxPrinted);
  if (!text) {
    give_up(text.error(), result);
    return;
  }
  const Result<PrintedMetric> metric = printed_->find(*text);
  if (!metric) {
    result.run_class = RunClass::no_metric;
    result.reason = metric.error().message;
    return;
  }
  result.printed = metric->value;
  take(written_text(OutputKind::standard_output, metric->rest, kept));
}

void BenchmarkRunner::read_others(int folder, BenchmarkRun& result, KeptText& kept) const {
  if (settings_.compared.standard_error) {
    Result<WrittenOutput> written =
        read_stream(OutputKind::standard_error, settings_.folder / kStderrFile, kept);
    if (!written) {
      return give_up(written.error(), result);
    }
    result.outputs.push_back(*std::move(written));
  }
  if (settings_.compared.files.empty()) {
    return;
  }
  const UniqueFd named =
      settings_.working_folder.empty() ? UniqueFd() : open_folder(settings_.working_folder);
  Result<std::vector<WrittenOutput>> files =
      read_output_files(named ? named.get() : folder, settings_.compared.files,
                        settings_.run_as ? settings_.run_as->user : geteuid(), kept);
  if (!files) {
    return give_up(files.error(), result);
  }
  std::ranges::move(*files, std::back_inserter(result.outputs));
}

}  // namespace hone
