// engine_steps MODULE...: what sessions cost, for engine_steps.sh.
//
// Each module's walk runs in a child: a pass that LLVM aborts on ends that walk, not the benchmark.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/file.h"
#include "common/base/random.h"
#include "common/pipelines/action_space.h"
#include "common/stats/median.h"
#include "engine/llvm/module_io.h"
#include "engine/llvm/pass_runner.h"
#include "engine/llvm/session.h"
#include "engine/llvm/target.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 60;
constexpr int kStepsPerSpawn = 4;
constexpr int kPrefix = 20;
constexpr int kBatches = 8;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double children_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// CPU seconds of opt-19; below 0 if it failed.
double spawn_opt(const std::string& pipeline, const fs::path& module, const fs::path& folder) {
  const double before = children_seconds();
  const pid_t child = fork();
  if (child == 0) {
    const std::string passes = "-passes=" + pipeline;
    const std::string out = folder / "out.bc";
    execlp("opt-19", "opt-19", passes.c_str(), module.c_str(), "-o", out.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? children_seconds() - before : -1;
}

// Seconds by what they were spent on, from the children through a pipe.
class Record {
 public:
  explicit Record(int descriptor) : stream_(fdopen(descriptor, "w")) {}
  void add(const char* what, double seconds) const {
    fmt::print(stream_, "{} {:.9f}\n", what, seconds);
    std::fflush(stream_);
  }

 private:
  std::FILE* stream_;
};

double wall_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

long switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

// CPU seconds. The kernel brings a running process's CPU time up to date at its ticks only, which
// are longer than a step; so it is wall time where nothing else ran in between.
double timed(const std::function<void()>& work) {
  const long switched = switches();
  const double cpu = cpu_seconds();
  const double wall = wall_seconds();
  work();
  const double wall_taken = wall_seconds() - wall;
  return switches() == switched ? wall_taken : cpu_seconds() - cpu;
}

template <class T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "engine_steps: {}\n", result.error().describe());
    std::_Exit(1);
  }
  return *std::move(result);
}

std::vector<std::string> draw(const ActionSpace& space, Random& random, int count) {
  std::vector<std::string> pipelines;
  for (int i = 0; i < count; ++i) {
    pipelines.push_back(space.actions()[random.below(space.actions().size())].pipeline);
  }
  return pipelines;
}

void walk(const std::string& bytes, const ActionSpace& space, const fs::path& folder,
          const Record& record) {
  Random random(std::hash<std::string>()(bytes));
  const fs::path first = folder / "first.bc";
  const fs::path state = folder / "state.bc";
  std::unique_ptr<Session> session;
  record.add("init", timed([&] { session = must(Session::create(bytes, {})); }));
  (void)must(write_file_atomically(
      first, std::get<std::string>(*must(session->observe(ObservationSpace::bitcode)))));
  for (int i = 0; i < kSteps; ++i) {
    const std::vector<std::string> pipeline = draw(space, random, 1);
    const bool spawned = i % kStepsPerSpawn == 0;
    if (spawned) {
      (void)must(write_file_atomically(
          state, std::get<std::string>(*must(session->observe(ObservationSpace::bitcode)))));
    }
    const double seconds = timed([&] {
      (void)must(session->step(pipeline));
      (void)must(session->observe(ObservationSpace::ir_instruction_count));
      (void)must(session->observe(ObservationSpace::autophase));
    });
    record.add("step", seconds);
    if (spawned) {
      const double spawn = spawn_opt(pipeline[0], state, folder);
      if (spawn >= 0) {
        record.add("spawned_step", seconds);
        record.add("spawn", spawn);
      }
    }
    if (i + 1 == kPrefix) {
      std::string all;
      for (const std::string& passed : session->history()) {
        all += (all.empty() ? "" : ",") + passed;
      }
      const double prefix = spawn_opt(all, first, folder);
      if (prefix >= 0) {
        record.add("prefix", prefix);
      }
    }
    if (i % 20 == 19) {
      record.add("text_size",
                 timed([&] { (void)must(session->observe(ObservationSpace::object_text_size)); }));
      record.add("bitcode_hash",
                 timed([&] { (void)must(session->observe(ObservationSpace::bitcode_hash)); }));
      record.add("undo", timed([&] { (void)must(session->undo(1)); }));
    }
  }
}

// The same twenty passes in a session's one step and in one pass manager, each on a fresh module,
// turn by turn.
void batches(const std::string& bytes, const ActionSpace& space, const Record& record) {
  Random random(1 + std::hash<std::string>()(bytes));
  SessionOptions unverified;
  unverified.verify = false;
  for (int i = 0; i < kBatches; ++i) {
    const std::vector<std::string> pipelines = draw(space, random, kPrefix);
    std::string all;
    for (const std::string& pipeline : pipelines) {
      all += (all.empty() ? "" : ",") + pipeline;
    }
    const auto bare = [&] {
      llvm::LLVMContext context;
      const auto module = must(read_module(bytes, context));
      strip_optnone(*module);
      const auto machine = must(make_target_machine(module->getTargetTriple()));
      PassRunner runner(*module, *machine);
      return timed([&] { (void)must(runner.run(all)); });
    };
    const auto in_session = [&](const SessionOptions& options) {
      const auto session = must(Session::create(bytes, options));
      return timed([&] { (void)must(session->step(pipelines)); });
    };
    (void)bare();
    double seconds[3] = {};
    // Balanced order.
    for (const int which : {0, 1, 2, 2, 1, 0}) {
      seconds[which] +=
          which == 0 ? bare() : in_session(which == 1 ? unverified : SessionOptions());
    }
    record.add("bare", seconds[0]);
    record.add("batch", seconds[1]);
    record.add("batch_verified", seconds[2]);
  }
}

using Samples = std::map<std::string, std::vector<double>>;

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

bool in_child(const std::function<void(const Record&)>& work, Samples& samples) {
  int ends[2];
  if (pipe(ends) != 0) {
    return false;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const rlimit limit{120, 120};
    setrlimit(RLIMIT_CPU, &limit);
    (void)!std::freopen("/dev/null", "w", stderr);
    work(Record(ends[1]));
    std::_Exit(0);
  }
  close(ends[1]);
  std::FILE* const stream = fdopen(ends[0], "r");
  char what[64];
  double seconds = 0;
  while (std::fscanf(stream, "%63s %lf", what, &seconds) == 2) {
    samples[what].push_back(seconds);
  }
  std::fclose(stream);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0;
}

int report(Samples& samples, int cut_short) {
  fmt::print("\n{:16}{:>8}{:>12}{:>12}\n", "CPU time", "n", "p50, ms", "mean, ms");
  for (const auto& [what, values] : samples) {
    fmt::print("{:16}{:>8}{:>12.3f}{:>12.3f}\n", what, values.size(), 1e3 * median(values),
               1e3 * mean(values));
  }
  if (cut_short > 0) {
    fmt::print("walks that a pass ended by aborting: {} (what came before counts)\n", cut_short);
  }
  const double at_p50 = median(samples["spawn"]) / median(samples["spawned_step"]);
  const double on_mean = mean(samples["spawn"]) / mean(samples["spawned_step"]);
  const double prefix = mean(samples["prefix"]) / mean(samples["step"]);
  const double batch = mean(samples["batch"]) / mean(samples["bare"]);
  fmt::print("\nspawning opt-19 costs {:.1f} times a step at p50 (at least 50; goal 100)\n",
             at_p50);
  fmt::print("spawning opt-19 costs {:.1f} times a step on the mean (at least 10; goal 20)\n",
             on_mean);
  fmt::print(
      "a prefix of {} by opt-19 costs {:.1f} times a step on the mean (at least 20; goal 50)\n",
      kPrefix, prefix);
  fmt::print(
      "batched steps cost {:.3f} of a bare pass manager, {:.3f} with the rules checked (at most "
      "1.05)\n",
      batch, mean(samples["batch_verified"]) / mean(samples["bare"]));
  return at_p50 >= 50 && on_mean >= 10 && prefix >= 20 && batch <= 1.05 ? 0 : 1;
}

int run(int count, char** modules) {
  const ActionSpace space = must(ActionSpace::create(LLVM_VERSION_MAJOR));
  // Targets are initialised here, before the children are made, as hone-session does.
  (void)must(make_target_machine(""));
  char pattern[] = "/tmp/engine_steps-XXXXXX";
  const fs::path folder = mkdtemp(pattern);
  Samples samples;
  int cut_short = 0;
  for (int i = 0; i < count; ++i) {
    const std::string bytes = must(read_file(modules[i], kMaxProgramBytes));
    cut_short +=
        in_child([&](const Record& record) { walk(bytes, space, folder, record); }, samples) ? 0
                                                                                             : 1;
    cut_short +=
        in_child([&](const Record& record) { batches(bytes, space, record); }, samples) ? 0 : 1;
  }
  fs::remove_all(folder);
  return report(samples, cut_short);
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: engine_steps MODULE...\n", stderr);
    return 2;
  }
  return hone::run(argc - 1, argv + 1);
}
