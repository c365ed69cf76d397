#include "worker/run/baseline_profile.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/source_file.h"
#include "common/base/subprocess.h"
#include "staging/counters/callgrind_profile.h"
#include "staging/runner/benchmark_runner.h"
#include "worker/build/extra_build.h"
#include "worker/run/bench_commands.h"
#include "worker/run/readable_text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kOwnMemory = std::uint64_t{1} << 30U;
// callgrind's own number goes where %p stands; the rest is no pattern of valgrind's.
constexpr const char* kOutput = "hone-profile.%p";
constexpr const char* kOutputs = "hone-profile.*";

std::string build_name(int slot) {
  char name[16];
  std::snprintf(name, sizeof name, "p%03d", slot);
  return name;
}

class Profiling {
 public:
  Profiling(const Workspace& workspace, const WorkspaceContext& context, const Slot& slot,
            const std::stop_token& stop)
      : workspace_(workspace),
        context_(context),
        slot_(slot),
        stop_(stop),
        name_(build_name(slot.number)),
        build_(extra_build_folder(workspace, name_)) {}
  ~Profiling() { remove_extra(workspace_, name_, BuildFolder::remove); }
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;

  Result<SourceProfile> make() {
    Command command;
    command.arguments = {"valgrind"};
    command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    const Result<std::string> valgrind = find_program(command);
    if (!valgrind) {
      return none("valgrind is not installed on this worker (Debian's package valgrind)");
    }
    HONE_TRY(const BuildReport report, build());
    if (report.end != BuildEnd::ok) {
      return none("the baseline does not build with -g1: " + report.reason);
    }
    HONE_CHECK(run(*valgrind));
    return why_none_.empty() ? Result<SourceProfile>(averaged()) : none(why_none_);
  }

 private:
  static SourceProfile none(std::string_view why) {
    // What programs print is in it, and honed takes no text that is none.
    constexpr std::size_t kLongest = 2000;
    SourceProfile profile;
    profile.why_none = readable_text(why, kLongest);
    return profile;
  }

  Result<BuildReport> build() {
    StepLog log(workspace_.folder() / ("step-" + name_ + ".log"), context_.disk);
    ExtraBuild wanted;
    wanted.name = name_;
    wanted.slot = slot_.number;
    // Line tables change no code; valgrind 3.19 reads version 4 of them wholly.
    wanted.variant.flags = {"-g1", "-gdwarf-4"};
    wanted.jobs = std::max(1, context_.build_jobs);
    HONE_TRY(BuildReport report, build_extra(workspace_, context_, wanted, log, stop_));
    if (report.end == BuildEnd::unavailable) {
      return fail(ErrorCode::unavailable, report.reason);
    }
    if (report.end == BuildEnd::stopped) {
      return fail(ErrorCode::cancelled, report.reason);
    }
    return report;
  }

  Result<BenchmarkRunner> runner(std::chrono::seconds longest) const {
    const BenchmarkSpec& spec = workspace_.target().benchmark;
    RunnerSettings settings;
    settings.folder = workspace_.bench(slot_.number);
    settings.run_as = context_.users.of(slot_.number).run_as;
    settings.cpu = slot_.cpu;
    settings.time_limit = longest;
    settings.memory_bytes = (static_cast<std::uint64_t>(spec.memory_mib) << 20U) + kOwnMemory;
    settings.sandbox = context_.sandbox;
    settings.readable = {workspace_.source(), build_};
    settings.compared.files = {kOutputs};
    settings.compared.whole = true;
    return BenchmarkRunner::create(std::move(settings), {});
  }

  Result<void> run(const std::string& valgrind) {
    const BenchmarkSpec& spec = workspace_.target().benchmark;
    HONE_TRY(const BenchCommands commands, bench_commands(spec, workspace_.source(), build_));
    const auto end = Clock::now() + kLongestProfile;
    const std::size_t inputs = std::max<std::size_t>(spec.inputs.size(), 1);
    for (std::size_t input = 0; input < inputs && why_none_.empty(); ++input) {
      const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - Clock::now());
      if (left.count() < 1) {
        break;
      }
      HONE_TRY(BenchmarkRunner runner, this->runner(left));
      Arguments wrapped = {valgrind,
                           "--tool=callgrind",
                           "--trace-children=yes",
                           "--compress-strings=no",
                           "--compress-pos=no",
                           std::string("--callgrind-out-file=") + kOutput,
                           "--vgdb=no",
                           "--"};
      const Arguments& plain = commands.places[input];
      wrapped.insert(wrapped.end(), plain.begin(), plain.end());
      const BenchmarkRun made = runner.run(wrapped, 0, stop_);
      if (made.run_class == RunClass::stopped) {
        return fail(ErrorCode::cancelled, "stopped on request");
      }
      if (made.error) {
        return *made.error;
      }
      if (made.run_class == RunClass::timed_out && !inputs_.empty()) {
        break;
      }
      if (made.run_class != RunClass::ok) {
        why_none_ = "the benchmark under callgrind: " + made.reason;
        return {};
      }
      add(made);
    }
    return {};
  }

  // The input's shares. A program may be several processes, each with a file of its own.
  void add(const BenchmarkRun& made) {
    std::map<std::string, double> costs;
    double total = 0;
    for (const WrittenOutput& output : made.outputs) {
      if (output.kind != OutputKind::file) {
        continue;
      }
      const Result<CallgrindProfile> profile = CallgrindProfile::parse(output.text);
      if (!profile) {
        why_none_ = profile.error().message;
        return;
      }
      total += static_cast<double>(profile->total());
      const auto source = [this](const std::string& file) { return source_of(file); };
      for (const auto& [file, cost] : profile->by_source(build_, source)) {
        costs[file] += cost;
      }
    }
    if (total <= 0) {
      why_none_ = "callgrind wrote no output";
      return;
    }
    for (auto& [file, cost] : costs) {
      cost /= total;
    }
    inputs_.push_back(std::move(costs));
  }

  // The name that rules know it by; "" for what is no source of the product.
  std::string source_of(const std::string& file) const {
    const fs::path path = fs::path(file).lexically_normal();
    if (!is_source_file(path)) {
      return "";
    }
    const fs::path root = builds_in_copy(workspace_.target()) ? build_ : workspace_.source();
    std::string name = path.lexically_relative(root).generic_string();
    return name.empty() || name.starts_with("..") ? "" : name;
  }

  // The mean over the inputs, each of which counts as much as another in a reward, too.
  SourceProfile averaged() const {
    std::map<std::string, double> sums;
    for (const auto& input : inputs_) {
      for (const auto& [file, share] : input) {
        sums[file] += share / static_cast<double>(inputs_.size());
      }
    }
    SourceProfile profile;
    for (const auto& [file, share] : sums) {
      if (share >= kLeastFileShare) {
        profile.files.push_back({file, std::min(share, 1.0)});
      }
    }
    std::ranges::sort(profile.files, [](const FileShare& a, const FileShare& b) {
      return std::pair(-a.share, a.source) < std::pair(-b.share, b.source);
    });
    profile.files.resize(std::min(profile.files.size(), kMaxFileShares));
    return profile.files.empty() ? none("the benchmark runs no code of the product's own files")
                                 : profile;
  }

  const Workspace& workspace_;
  const WorkspaceContext& context_;
  const Slot& slot_;
  const std::stop_token& stop_;
  std::string name_;
  fs::path build_;
  std::vector<std::map<std::string, double>> inputs_;
  std::string why_none_;
};

}  // namespace

Result<SourceProfile> profile_baseline(const Workspace& workspace, const WorkspaceContext& context,
                                       const Slot& slot, const std::stop_token& stop) {
  return Profiling(workspace, context, slot, stop).make();
}

}  // namespace hone
