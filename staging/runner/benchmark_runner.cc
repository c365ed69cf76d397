#include "staging/runner/benchmark_runner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/file.h"
#include "common/base/remove_tree.h"
#include "common/base/sha256.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPrinted = std::size_t{64} << 20U;
constexpr std::size_t kReasonTail = 500;

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

BenchmarkRun not_started(const Error& error) {
  BenchmarkRun run;
  run.run_class = RunClass::not_started;
  run.reason = error.message;
  run.error = error;
  return run;
}

}  // namespace

Result<BenchmarkRunner> BenchmarkRunner::create(RunnerSettings settings, const MetricSpec& metric) {
  std::shared_ptr<const OutputMetric> printed;
  if (metric.metric == Metric::printed) {
    HONE_TRY(printed, make_output_metric(metric));
  }
  return BenchmarkRunner(std::move(settings), std::move(printed));
}

Result<fs::path> BenchmarkRunner::fresh_folder() const {
  const fs::path folder = settings_.folder / "run";
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
                                  const std::stop_token& stop, const fs::path& program) {
  BenchmarkRun result;
  const Result<fs::path> folder = fresh_folder();
  if (!folder) {
    return not_started(folder.error());
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
  process.capture_limit = std::size_t{64} << 10U;
  process.limits.wall_time = settings_.time_limit;
  // Threads may use more processor time than wall time; a busy hang is ended by the latter.
  process.limits.address_space_bytes = settings_.memory_bytes;
  process.limits.file_size_bytes = settings_.output_bytes;
  process.limits.processes = settings_.processes;
  process.run_as = settings_.run_as;
  process.cpu = settings_.cpu;
  const Result<SandboxReport> sandboxed = settings_.sandbox.run(process, view_of(*folder), stop);
  if (!sandboxed) {
    return not_started(sandboxed.error());
  }
  const RunReport* const report = &sandboxed->run;
  const RunEndReport end = classify(*report, process.limits, sandboxed->limit_met);
  result.run_class = end.run_class;
  result.reason = end.reason;
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
  read_output(output, result);
  return result;
}

void BenchmarkRunner::read_output(const fs::path& output, BenchmarkRun& result) const {
  if (!printed_) {
    const Result<std::string> hash = sha256_file(output);
    if (!hash) {
      result = not_started(hash.error());
      return;
    }
    result.output_sha256 = *hash;
    return;
  }
  const Result<std::string> text = read_file(output, kMaxPrinted);
  if (!text) {
    result.run_class = RunClass::limit_exceeded;
    result.reason = text.error().message;
    return;
  }
  const Result<PrintedMetric> metric = printed_->find(*text);
  if (!metric) {
    result.run_class = RunClass::no_metric;
    result.reason = metric.error().message;
    return;
  }
  result.printed = metric->value;
  result.output_sha256 = sha256_hex(metric->rest);
}

}  // namespace hone
