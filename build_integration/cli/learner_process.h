// hone-learner, proposing for a campaign beside `hone tune`. Not thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/cli/child_process.h"
#include "build_integration/cli/command_context.h"

namespace hone {

// So many candidates a slot of a worker races at once.
inline constexpr std::size_t kCandidatesOfAHeat = 8;

// How many of a budget's candidates are drawn blindly before there is anything to learn from: two
// fifths, in whole heats of 8, and all of a budget that has no second heat.
std::size_t blind_share(std::size_t candidates);

class LearnerProcess {
 public:
  // not_found if hone-learner is not installed beside us; io_failed.
  static Result<LearnerProcess> start(const CommandContext& context, std::string_view campaign,
                                      std::size_t generation);
  ~LearnerProcess();
  LearnerProcess(LearnerProcess&& other) noexcept;
  LearnerProcess& operator=(LearnerProcess&&) = delete;
  LearnerProcess(const LearnerProcess&) = delete;

  // What it has said since the last call, line by line: where the time goes, what it proposes.
  std::vector<std::string> news();
  // Once, after it has ended in any way but a good one: why, for people.
  std::optional<std::string> failure();

 private:
  LearnerProcess(ChildProcess child, std::filesystem::path log)
      : child_(std::move(child)), log_(std::move(log)) {}

  ChildProcess child_;
  std::filesystem::path log_;  // empty after a move
  std::size_t told_ = 0;       // bytes of the log
  bool ended_ = false;
};

}  // namespace hone
