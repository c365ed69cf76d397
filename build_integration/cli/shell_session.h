// A program under the hands of somebody in `hone env shell`: a compile session with the actions
// that led to where it stands, and copies of it under names. Not thread safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "build_integration/programs/linked_program.h"
#include "build_integration/programs/program.h"
#include "common/base/result.h"
#include "common/sessions/session_client.h"

namespace hone {

struct ShellStep {
  std::string action;  // as it was named
  std::string pipeline;
  bool changed = false;
  double reward = 0;  // of the space that was the default one then
};

// What an action would do.
struct ShellTrial {
  std::string action;
  std::string pipeline;
  std::optional<double> reward;  // nothing: it failed
  std::string failure;
  bool changed = false;
};

// Why a reply is no success; empty if it is one.
std::string shell_failure(const SessionReply& reply);

class ShellSession {
 public:
  ShellSession(SessionClient client, LinkedSettings settings, std::stop_token stop)
      : client_(std::make_shared<SessionClient>(std::move(client))),
        settings_(settings),
        stop_(std::move(stop)) {}

  // In place of what was open, whose copies go as well. The old one stays if it can not be opened.
  Result<void> open(Program program);

  // A step is on the stack if its outcome is ok; else the program is as it was before. Errors,
  // which leave it so, too: a pipeline that is refused; a program that can not be linked, or not be
  // run, where a space needs that; unavailable if the session server is lost.
  Result<SessionReply> step(const std::string& action, const std::string& pipeline,
                            RewardSpace reward, const std::vector<ObservationSpace>& observe);
  Result<void> undo(std::size_t count);  // invalid_argument for more than there are
  Result<void> reset();
  Result<Observation> observe(ObservationSpace space);
  Result<double> episode_reward(RewardSpace space);

  // Each on a copy of its own, two at a time; the session stays as it is.
  Result<std::vector<ShellTrial>> try_actions(std::vector<ShellTrial> trials, RewardSpace reward,
                                              const std::stop_token& stop);

  Result<void> fork(const std::string& name);       // conflict if there is such a copy
  Result<void> switch_to(const std::string& name);  // not_found, with the names that there are
  std::vector<std::string> copies() const;
  const std::string& copy() const { return current_; }  // where we are

  const Program& program() const { return program_; }
  const std::vector<ShellStep>& stack() const { return copies_.at(current_).stack; }
  std::vector<std::string> pipelines() const;
  double seconds() const { return copies_.at(current_).seconds; }

 private:
  struct Copy {
    std::string session;
    std::vector<ShellStep> stack;
    double seconds = 0;  // that its steps took
  };
  SessionRequest request(SessionCommand command) const;
  Result<std::string> bitcode();
  // Adds what is seen of the linked program to the reply of a step from `before`.
  Result<void> see_linked(const std::string& before, RewardSpace reward,
                          const std::vector<ObservationSpace>& observe, SessionReply& reply);
  Result<void> finish_trial(const SessionReply& reply, const std::string& before,
                            RewardSpace reward, ShellTrial& trial);

  std::shared_ptr<SessionClient> client_;  // linked_ asks it, too, wherever this was moved
  LinkedSettings settings_;
  std::stop_token stop_;
  std::optional<LinkedProgram> linked_;
  Program program_;
  std::map<std::string, Copy> copies_;
  std::string current_;
  std::size_t sessions_ = 0;  // that there ever were, for their names
};

}  // namespace hone
