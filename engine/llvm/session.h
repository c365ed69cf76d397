// A compile session: one program, stepped through pipelines, seen and rewarded on the way.
//
// A state is a function of the program and of the pipelines so far: the module and the analyses
// that passes left behind are kept from step to step and nothing else is, so that a history that is
// applied again, in one step or many, gives the same state to the last bit. Undoing therefore
// replays. A pass that LLVM aborts on ends the process: whoever wants to outlive that runs sessions
// in a process of their own (hone-session). Not thread safe; one session's module shares nothing
// with another's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/sessions/observation_space.h"
#include "common/sessions/reward_space.h"

namespace hone {

class Ir2VecVocabulary;

inline constexpr std::size_t kMaxHistory = 100000;

struct SessionOptions {
  // After each step that changed something, whether the module keeps LLVM's rules.
  bool verify = true;
  // Whether only what check_pipeline() allows may run. A researcher may take that off.
  bool allowed_only = true;
  // For the observation Ir2vec; outlives the session. Null: there is none.
  const Ir2VecVocabulary* vocabulary = nullptr;
  // Called before each pipeline is run, with its place in the step, from 0, or with -1 for one that
  // is applied again: who watches from another process sees which one hangs or kills.
  std::function<void(std::int64_t)> on_pipeline;
};

struct StepResult {
  std::size_t applied = 0;  // of the pipelines
  bool changed = false;     // whether a pass says that it changed something
  // Why the pipeline behind the applied ones was taken back: it broke the module. Empty: it did
  // not.
  std::string broken;
  std::vector<double> rewards;  // of the step, in the order in which they were asked for
};

class Session {
 public:
  // Bitcode or IR text. Errors of read_module() and make_target_machine().
  static Result<std::unique_ptr<Session>> create(std::string_view program,
                                                 const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Applies the pipelines one after the other, as one step. invalid_argument, before anything is
  // run, names the one that is none or is not allowed; too_large past kMaxHistory.
  Result<StepResult> step(std::span<const std::string> pipelines,
                          std::span<const RewardSpace> rewards = {});

  // Valid until the next step, undo or reset.
  Result<const Observation*> observe(ObservationSpace space);

  // Of all steps together, from the program as it came to now: what an agent that is rewarded at
  // the end of its episode gets.
  Result<double> episode_reward(RewardSpace space);

  // Takes the last `count` pipelines back. invalid_argument if there are not as many.
  Result<void> undo(std::size_t count);
  Result<void> reset() { return undo(history().size()); }

  // Pipelines that were applied since something was last changed, and changed nothing: they would
  // not now either. Forgotten by undo and reset.
  const std::set<std::string>& without_effect() const;

  // The pipelines that led here.
  const std::vector<std::string>& history() const;

 private:
  struct State;
  Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone
