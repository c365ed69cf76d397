#include "build_integration/programs/linked_program.h"

#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/programs/clang_compile.h"
#include "build_integration/programs/program_run.h"
#include "common/base/hash.h"
#include "common/stats/median.h"
#include "staging/runner/elf_sections.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxProgramBytes = std::size_t{64} << 20U;
constexpr double kNanoseconds = 1e9;

// Adds what passes until its end.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& seconds_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

bool is_of_the_bitcode(const Error& error) {
  return error.code == ErrorCode::invalid_argument || error.code == ErrorCode::timed_out ||
         error.code == ErrorCode::conflict;
}

Result<Observation> LinkedProgram::observe(ObservationSpace space, const std::string& bitcode) {
  const Timed timed(seconds_);
  switch (space) {
    case ObservationSpace::text_size: {
      HONE_TRY(const std::int64_t bytes, text_size(bitcode));
      return Observation(bytes);
    }
    case ObservationSpace::runtime: {
      HONE_TRY(std::vector<double> samples, runtimes(bitcode));
      return Observation(std::move(samples));
    }
    case ObservationSpace::buildtime: {
      HONE_TRY(std::vector<double> samples, buildtimes(bitcode));
      return Observation(std::move(samples));
    }
    default:
      return fail(ErrorCode::internal,
                  std::string(to_string(space)) + " is seen by the session itself");
  }
}

Result<double> LinkedProgram::cost(Cost cost, const std::string& bitcode) {
  const auto key = std::pair(cost, to_hex(hash128(bitcode)));
  if (const auto known = costs_.find(key); known != costs_.end()) {
    return known->second;
  }
  HONE_TRY(const Observation seen, observe(observation_of(cost), bitcode));
  const auto* const samples = std::get_if<std::vector<double>>(&seen);
  const double value =
      samples != nullptr ? median(*samples) : static_cast<double>(std::get<std::int64_t>(seen));
  costs_.emplace(key, value);
  return value;
}

Result<double> LinkedProgram::reward(RewardSpace space, const std::string& before,
                                     const std::string& now) {
  HONE_TRY(const double cost_before, cost(space.cost, before));
  HONE_TRY(const double cost_now, cost(space.cost, now));
  RewardCosts costs;
  if (space.form != RewardForm::difference && space.form != RewardForm::log_ratio) {
    HONE_TRY(const std::string* const start, unoptimised());
    HONE_TRY(costs.unoptimised, cost(space.cost, *start));
  }
  if (space.form == RewardForm::o3 || space.form == RewardForm::oz) {
    HONE_TRY(costs.baseline,
             baseline(space.cost, space.form == RewardForm::o3 ? "default<O3>" : "default<Oz>"));
  }
  const bool in_nanoseconds = space.cost == Cost::runtime && space.form == RewardForm::log_ratio;
  const double scale = in_nanoseconds ? kNanoseconds : 1.0;
  return hone::reward(space.form, costs, cost_before * scale, cost_now * scale);
}

Result<double> LinkedProgram::episode_reward(RewardSpace space, const std::string& now) {
  HONE_TRY(const std::string* const start, unoptimised());
  return reward(space, *start, now);
}

Result<double> LinkedProgram::baseline(Cost of, const std::string& pipeline) {
  const auto key = std::pair(of, pipeline);
  if (const auto known = baselines_.find(key); known != baselines_.end()) {
    return known->second;
  }
  HONE_TRY(const std::string bitcode, optimise_(pipeline));
  HONE_TRY(const double value, cost(of, bitcode));
  baselines_.emplace(key, value);
  return value;
}

Result<const std::string*> LinkedProgram::unoptimised() {
  if (!unoptimised_) {
    HONE_TRY(unoptimised_, read_file(program_.file, kMaxProgramBytes));
  }
  return &*unoptimised_;
}

Result<const fs::path*> LinkedProgram::folder() {
  if (folder_ == nullptr) {
    HONE_TRY(TemporaryFolder made, TemporaryFolder::create("hone-linked-"));
    folder_ = std::make_unique<TemporaryFolder>(std::move(made));
  }
  return &folder_->path();
}

Result<LinkedProgram::Linked> LinkedProgram::link(const std::string& bitcode) {
  HONE_TRY(const fs::path* const place, folder());
  const fs::path module = *place / "program.bc";
  HONE_CHECK(write_file_atomically(module, bitcode));
  Linked linked;
  linked.file = *place / "program";
  const Result<double> seconds = link_program(module, program_.link, linked.file, stop_);
  if (!seconds) {
    return seconds.error().within(program_.uri + " can not be linked");
  }
  linked.seconds = *seconds;
  return linked;
}

Result<std::int64_t> LinkedProgram::text_size(const std::string& bitcode) {
  HONE_TRY(const Linked linked, link(bitcode));
  return text_bytes(linked.file);
}

Result<std::vector<double>> LinkedProgram::buildtimes(const std::string& bitcode) {
  std::vector<double> samples;
  while (samples.size() < settings_.buildtimes) {
    HONE_TRY(const Linked linked, link(bitcode));
    samples.push_back(linked.seconds);
  }
  return samples;
}

Result<std::vector<double>> LinkedProgram::runtimes(const std::string& bitcode) {
  HONE_CHECK(learn_outputs());
  HONE_TRY(const Linked linked, link(bitcode));
  std::vector<double> samples;
  for (std::size_t i = 0; i < settings_.warmups + settings_.runtimes; ++i) {
    HONE_TRY(const double seconds, run_all(linked.file));
    if (i >= settings_.warmups) {
      samples.push_back(seconds);
    }
  }
  return samples;
}

Result<double> LinkedProgram::run_all(const fs::path& file) {
  double seconds = 0;
  for (std::size_t i = 0; i < program_.runs.size(); ++i) {
    const ProgramRun& run = program_.runs[i];
    HONE_TRY(const RunOutcome outcome, run_program(file, run, folder_->path(), {}, stop_));
    const std::string& output = outputs_[i] ? *outputs_[i] : outcome.output;
    if (const auto error = judge(outcome, run.exit_code, output, i + 1, "")) {
      return fail(ErrorCode::conflict, fmt::format("run {} of {} does not do what it must: {}",
                                                   i + 1, program_.uri, describe(*error)));
    }
    seconds += outcome.wall_seconds;
  }
  return seconds;
}

Result<void> LinkedProgram::learn_outputs() {
  if (outputs_known_) {
    return {};
  }
  if (program_.runs.empty()) {
    return fail(ErrorCode::unsupported,
                program_.uri +
                    " has no run time: how it is run is not known (a data set's manifest says so, "
                    "with \"runs\")");
  }
  HONE_TRY(const std::string* const start, unoptimised());
  HONE_TRY(const Linked linked, link(*start));
  outputs_.clear();
  for (const ProgramRun& run : program_.runs) {
    outputs_.push_back(run.output);
    if (run.output) {
      continue;
    }
    HONE_TRY(const RunOutcome first, run_program(linked.file, run, folder_->path(), {}, stop_));
    HONE_TRY(const RunOutcome again, run_program(linked.file, run, folder_->path(), {}, stop_));
    if (first.output == again.output) {
      outputs_.back() = first.output;
    }
  }
  const Result<double> runs = run_all(linked.file);
  if (!runs) {
    return runs.error().within("unoptimised");
  }
  outputs_known_ = true;
  return {};
}

}  // namespace hone
