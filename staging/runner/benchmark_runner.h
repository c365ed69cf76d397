// One run of a benchmark: alone on its processor, as the job's user, in a sandbox, in a fresh empty
// folder (or one that is named), with a fixed environment and limits. With namespaces the fresh
// folder is one in memory, so that a run can neither fill the disk nor wait for it. What it wrote
// is read when it has ended and its times are taken. Of files in a folder that is named: none may
// be there before the first run, and each run's are removed after it, so that no run passes for
// another.
//
// The environment holds HONE_PADDING, of a length that the caller draws: it moves the stack, whose
// position alone can make a run some percent faster (Mytkowicz et al., ASPLOS 2009). Both runs of a
// pair get the same length: the part of the effect that both binaries share cancels in the pair,
// the part that they do not share is averaged over the pairs, as it would be with a draw per run.
// Not thread safe: one object per benchmark slot.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/subprocess.h"
#include "common/protocol/target_spec.h"
#include "staging/counters/run_counter.h"
#include "staging/runner/output_metric.h"
#include "staging/runner/run_end.h"
#include "staging/runner/written_output.h"
#include "staging/sandbox/sandbox.h"

namespace hone {

// What a run writes that is to be compared, besides standard output.
struct ComparedOutputs {
  std::vector<std::string> files;  // paths and globs (output_files.h)
  bool standard_error = false;
  bool whole = false;  // keep the whole text, not its beginning alone
};
ComparedOutputs compared_outputs(const BenchmarkSpec& benchmark);

struct RunnerSettings {
  std::filesystem::path folder;          // ours alone; holds the run's folder and its output
  std::filesystem::path working_folder;  // empty: the run's own, fresh for each run
  std::vector<std::string>
      environment;              // "NAME=value", added to the fixed one, over which they win
  std::optional<RunAs> run_as;  // the job's user; needs root
  std::optional<int> cpu;       // the slot's processor
  std::chrono::seconds time_limit{60};
  std::uint64_t memory_bytes = std::uint64_t{4} << 30U;  // address space of each process
  // False for programs that reserve more than they use (AddressSanitizer's shadow is 16 TiB): the
  // memory of all processes together is limited then, where the sandbox can, and nothing else.
  bool limit_address_space = true;
  std::uint64_t output_bytes = std::uint64_t{512} << 20U;  // of each file, standard output included
  std::uint64_t processes = 512;
  Sandbox sandbox;                                        // by default none
  std::vector<std::filesystem::path> readable;            // what it sees there besides the system
  std::uint64_t scratch_bytes = std::uint64_t{1} << 30U;  // of its own folder, if that is in memory
  ComparedOutputs compared;
};

// What one run gave. Numbers hold with run class ok only.
struct BenchmarkRun {
  RunClass run_class = RunClass::ok;
  std::string reason;          // why it is not ok, with the end of standard error
  std::optional<Error> error;  // of a run that was not started
  double cpu_seconds = 0;      // user + system, whole process tree
  double wall_seconds = 0;
  std::int64_t peak_rss_bytes = 0;
  std::string stderr_text;    // the beginning of standard error, however it ended
  std::string output_sha256;  // of standard output; the printed number left out, if one is asked
  std::optional<double> printed;  // with the metric `printed`
  std::optional<double> counted;  // of a run to measure, with a metric that a RunCounter counts
  // All that may be compared with another run's: standard output (of which output_sha256 is the
  // hash), then standard error where that is asked for, then files by name.
  std::vector<WrittenOutput> outputs;
};

// What a run is for. Counting may take a hundred times as long, in an emulation of the processor:
// where the outputs alone are wanted, the program runs as it is and is not counted.
enum class RunPurpose { check, measure };

inline constexpr std::size_t kMaxPadding = 4096;

class BenchmarkRunner {
 public:
  // invalid_argument for a metric that says nothing or wrongly where its number is; unsupported,
  // with the reason, for one that this machine cannot count.
  static Result<BenchmarkRunner> create(RunnerSettings settings, const MetricSpec& metric);

  // Runs `command`, whose {words} are replaced already; with a `program`, that one in place of the
  // command's own and under its name. Never fails: what goes wrong is the run's class and reason.
  BenchmarkRun run(const Arguments& command, std::size_t padding, const std::stop_token& stop,
                   const std::filesystem::path& program = {},
                   RunPurpose purpose = RunPurpose::measure);

 private:
  BenchmarkRunner(RunnerSettings settings, std::shared_ptr<const OutputMetric> printed,
                  std::unique_ptr<RunCounter> counter)
      : settings_(std::move(settings)),
        printed_(std::move(printed)),
        counter_(std::move(counter)) {}
  BenchmarkRun run_and_read(const Arguments& command, std::size_t padding,
                            const std::stop_token& stop, const std::filesystem::path& program,
                            RunPurpose purpose);
  // Runs the process; what it was counted, if it is to be, is added to the result.
  Result<SandboxReport> run_counted(Command& process, SandboxView& view, RunPurpose purpose,
                                    const std::stop_token& stop, BenchmarkRun& result);
  Result<std::filesystem::path> fresh_folder() const;
  SandboxView view_of(const std::filesystem::path& folder) const;
  void read_output(const std::filesystem::path& output, BenchmarkRun& result, KeptText& kept) const;
  void read_others(int folder, BenchmarkRun& result, KeptText& kept) const;

  RunnerSettings settings_;
  std::shared_ptr<const OutputMetric> printed_;
  std::unique_ptr<RunCounter> counter_;  // none for a metric that needs none
};

}  // namespace hone
