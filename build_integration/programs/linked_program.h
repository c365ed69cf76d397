// A program as it is linked and run on this machine: the observations and rewards that a session's
// process, which may start nothing, can not have. Not thread safe.
//
// TextSizeBytes   bytes of all executable sections of the linked program
// Buildtime       seconds that code generation and link take, wall time, a sample each
// Runtime         seconds that its runs take together, wall time, a sample each; a run that does
//                 not do what the unoptimised program does gives no sample, but an error
//
// As a cost, Runtime is the median of its samples (CompilerGym's RuntimePointEstimateReward).
// Costs are remembered by the bitcode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "build_integration/programs/program.h"
#include "common/base/file.h"
#include "common/base/result.h"
#include "common/sessions/observation_space.h"
#include "common/sessions/reward_space.h"

namespace hone {

struct LinkedSettings {
  std::size_t runtimes = 30;  // samples of Runtime
  std::size_t warmups = 0;    // runs before them that are not counted
  std::size_t buildtimes = 1;
};

// Whether an error is the bitcode's, and not the machine's.
bool is_of_the_bitcode(const Error& error);

class LinkedProgram {
 public:
  // The bitcode that the program comes to by a pipeline ("default<O3>").
  using Optimise = std::function<Result<std::string>(const std::string& pipeline)>;

  LinkedProgram(Program program, LinkedSettings settings, Optimise optimise, std::stop_token stop)
      : program_(std::move(program)),
        settings_(settings),
        optimise_(std::move(optimise)),
        stop_(std::move(stop)) {}

  // Of a space that is_linked(). Errors that are the bitcode's: invalid_argument (it can not be
  // linked), timed_out, conflict (a run does not do what it must); unsupported where it is not
  // known how the program is run; others are of the machine.
  Result<Observation> observe(ObservationSpace space, const std::string& bitcode);
  Result<double> cost(Cost cost, const std::string& bitcode);

  // Of what led from one bitcode to another.
  Result<double> reward(RewardSpace space, const std::string& before, const std::string& now);
  // From the unoptimised program.
  Result<double> episode_reward(RewardSpace space, const std::string& now);

  // Wall time that was spent here.
  double seconds() const { return seconds_; }

 private:
  struct Linked {
    std::filesystem::path file;
    double seconds = 0;
  };
  Result<Linked> link(const std::string& bitcode);
  Result<std::int64_t> text_size(const std::string& bitcode);
  Result<std::vector<double>> runtimes(const std::string& bitcode);
  Result<std::vector<double>> buildtimes(const std::string& bitcode);
  // Each run's output as it must be; nothing where it varies by itself.
  Result<void> learn_outputs();
  Result<double> run_all(const std::filesystem::path& file);
  Result<const std::string*> unoptimised();
  Result<const std::filesystem::path*> folder();
  Result<double> baseline(Cost cost, const std::string& pipeline);

  Program program_;
  LinkedSettings settings_;
  Optimise optimise_;
  std::stop_token stop_;
  std::unique_ptr<TemporaryFolder> folder_;
  std::optional<std::string> unoptimised_;  // the program's file
  std::vector<std::optional<std::string>> outputs_;
  bool outputs_known_ = false;
  std::map<std::pair<Cost, std::string>, double> costs_;      // by the bitcode's hash
  std::map<std::pair<Cost, std::string>, double> baselines_;  // by the pipeline
  double seconds_ = 0;
};

}  // namespace hone
