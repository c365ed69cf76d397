#include "build_integration/cli/shell_session.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

#include "build_integration/cli/session_bitcode.h"
#include "common/base/text.h"

namespace hone {
namespace {

const std::string kFirst = "main";

}  // namespace

std::string shell_failure(const SessionReply& reply) {
  if (reply.error) {
    return reply.error->message;
  }
  return reply.outcome == StepOutcome::ok
             ? ""
             : std::string(to_string(reply.outcome)) + ": " + reply.reason;
}

Result<void> ShellSession::open(Program program) {
  SessionRequest open;
  open.command = SessionCommand::open;
  open.session = "s" + std::to_string(++sessions_);
  open.program = program.file.string();
  const std::string session = open.session;
  HONE_TRY(const SessionReply opened, client_->ask(std::move(open)));
  for (const auto& [name, copy] : copies_) {
    SessionRequest close;
    close.command = SessionCommand::close;
    close.session = copy.session;
    HONE_TRY(const SessionReply closed, client_->ask(std::move(close)));
  }
  copies_.clear();
  copies_[kFirst].session = session;
  current_ = kFirst;
  program_ = std::move(program);
  linked_.emplace(
      program_, settings_,
      [client = client_, file = program_.file](const std::string& pipeline) {
        return session_bitcode(*client, file, pipeline);
      },
      stop_);
  return {};
}

SessionRequest ShellSession::request(SessionCommand command) const {
  SessionRequest made;
  made.command = command;
  made.session = copies_.at(current_).session;
  return made;
}

Result<SessionReply> ShellSession::step(const std::string& action, const std::string& pipeline,
                                        RewardSpace reward,
                                        const std::vector<ObservationSpace>& observe) {
  SessionRequest step = request(SessionCommand::step);
  step.pipelines = {pipeline};
  std::ranges::copy_if(observe, std::back_inserter(step.observe), std::not_fn(is_linked));
  const bool linked_reward = is_linked(observation_of(reward.cost));
  std::string before;
  if (linked_reward) {
    HONE_TRY(before, bitcode());
  } else {
    step.rewards = {reward};
  }
  const bool linked = linked_reward || step.observe.size() < observe.size();
  if (linked) {
    step.observe.push_back(ObservationSpace::bitcode);
  }
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(SessionReply reply, client_->ask(std::move(step)));
  Copy& copy = copies_[current_];
  copy.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (reply.outcome != StepOutcome::ok) {
    return reply;
  }
  if (linked) {
    const Result<void> seen = see_linked(before, reward, observe, reply);
    if (!seen) {
      HONE_TRY(const SessionReply undone, client_->ask(request(SessionCommand::undo)));
      return seen.error();
    }
  }
  const auto found = reply.rewards.find(to_string(reward));
  copy.stack.push_back(
      {action, pipeline, reply.changed, found == reply.rewards.end() ? 0 : found->second});
  return reply;
}

Result<std::string> ShellSession::bitcode() {
  SessionRequest look = request(SessionCommand::observe);
  look.observe = {ObservationSpace::bitcode};
  HONE_TRY(const SessionReply reply, client_->ask(std::move(look)));
  return bitcode_of(reply);
}

Result<void> ShellSession::see_linked(const std::string& before, RewardSpace reward,
                                      const std::vector<ObservationSpace>& observe,
                                      SessionReply& reply) {
  HONE_TRY(const std::string now, bitcode_of(reply));
  reply.observations.erase(std::string(to_string(ObservationSpace::bitcode)));
  for (const ObservationSpace space : observe) {
    if (is_linked(space)) {
      HONE_TRY(reply.observations[std::string(to_string(space))], linked_->observe(space, now));
    }
  }
  if (is_linked(observation_of(reward.cost))) {
    HONE_TRY(reply.rewards[to_string(reward)], linked_->reward(reward, before, now));
  }
  return {};
}

Result<void> ShellSession::undo(std::size_t count) {
  std::vector<ShellStep>& steps = copies_[current_].stack;
  if (count == 0 || count > steps.size()) {
    return fail(ErrorCode::invalid_argument, "'" + std::to_string(count) + "' must be 1 to " +
                                                 std::to_string(steps.size()) +
                                                 ", the actions on the stack");
  }
  SessionRequest undo = request(SessionCommand::undo);
  undo.count = static_cast<std::int64_t>(count);
  HONE_TRY(const SessionReply undone, client_->ask(std::move(undo)));
  steps.resize(steps.size() - count);
  return {};
}

Result<void> ShellSession::reset() {
  HONE_TRY(const SessionReply done, client_->ask(request(SessionCommand::reset)));
  copies_[current_].stack.clear();
  copies_[current_].seconds = 0;
  return {};
}

Result<Observation> ShellSession::observe(ObservationSpace space) {
  if (is_linked(space)) {
    HONE_TRY(const std::string now, bitcode());
    return linked_->observe(space, now);
  }
  SessionRequest look = request(SessionCommand::observe);
  look.observe = {space};
  HONE_TRY(SessionReply reply, client_->ask(std::move(look)));
  const auto found = reply.observations.find(std::string(to_string(space)));
  if (found == reply.observations.end()) {
    return fail(ErrorCode::unavailable,
                "no " + std::string(to_string(space)) + " came: " + shell_failure(reply));
  }
  return std::move(found->second);
}

Result<double> ShellSession::episode_reward(RewardSpace space) {
  if (is_linked(observation_of(space.cost))) {
    HONE_TRY(const std::string now, bitcode());
    return linked_->episode_reward(space, now);
  }
  SessionRequest look = request(SessionCommand::observe);
  look.rewards = {space};
  HONE_TRY(const SessionReply reply, client_->ask(std::move(look)));
  const auto found = reply.rewards.find(to_string(space));
  if (found == reply.rewards.end()) {
    return fail(ErrorCode::unavailable,
                "no " + to_string(space) + " came: " + shell_failure(reply));
  }
  return found->second;
}

Result<void> ShellSession::fork(const std::string& name) {
  if (copies_.contains(name)) {
    return fail(ErrorCode::conflict, "there is a copy '" + name + "' already: take another name");
  }
  SessionRequest fork = request(SessionCommand::fork);
  fork.into = "s" + std::to_string(++sessions_);
  Copy copy = copies_[current_];
  copy.session = fork.into;
  HONE_TRY(const SessionReply done, client_->ask(std::move(fork)));
  copies_[name] = std::move(copy);
  return {};
}

Result<void> ShellSession::switch_to(const std::string& name) {
  if (!copies_.contains(name)) {
    return fail(ErrorCode::not_found, "no copy '" + name + "': there are " + join(copies(), ", "));
  }
  current_ = name;
  return {};
}

std::vector<std::string> ShellSession::copies() const {
  std::vector<std::string> names;
  for (const auto& [name, copy] : copies_) {
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> ShellSession::pipelines() const {
  std::vector<std::string> all;
  all.reserve(stack().size());
  for (const ShellStep& step : stack()) {
    all.push_back(step.pipeline);
  }
  return all;
}

}  // namespace hone
