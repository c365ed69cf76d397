#include "build_integration/cli/shell_session.h"

#include <chrono>
#include <utility>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kAtOnce = 2;
constexpr std::size_t kRequestsOfATrial = 3;  // a copy, its step, its end
const std::string kFirst = "main";

std::string failure_of(const SessionReply& reply) {
  if (reply.error) {
    return reply.error->message;
  }
  return reply.outcome == StepOutcome::ok
             ? ""
             : std::string(to_string(reply.outcome)) + ": " + reply.reason;
}

}  // namespace

Result<void> ShellSession::open(Program program) {
  SessionRequest open;
  open.command = SessionCommand::open;
  open.session = "s" + std::to_string(++sessions_);
  open.program = program.file.string();
  const std::string session = open.session;
  HONE_TRY(const SessionReply opened, client_.ask(std::move(open)));
  for (const auto& [name, copy] : copies_) {
    SessionRequest close;
    close.command = SessionCommand::close;
    close.session = copy.session;
    HONE_TRY(const SessionReply closed, client_.ask(std::move(close)));
  }
  copies_.clear();
  copies_[kFirst].session = session;
  current_ = kFirst;
  program_ = std::move(program);
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
  step.rewards = {reward};
  step.observe = observe;
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(SessionReply reply, client_.ask(std::move(step)));
  Copy& copy = copies_[current_];
  copy.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (reply.outcome == StepOutcome::ok) {
    const auto found = reply.rewards.find(to_string(reward));
    copy.stack.push_back(
        {action, pipeline, reply.changed, found == reply.rewards.end() ? 0 : found->second});
  }
  return reply;
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
  HONE_TRY(const SessionReply undone, client_.ask(std::move(undo)));
  steps.resize(steps.size() - count);
  return {};
}

Result<void> ShellSession::reset() {
  HONE_TRY(const SessionReply done, client_.ask(request(SessionCommand::reset)));
  copies_[current_].stack.clear();
  copies_[current_].seconds = 0;
  return {};
}

Result<Observation> ShellSession::observe(ObservationSpace space) {
  SessionRequest look = request(SessionCommand::observe);
  look.observe = {space};
  HONE_TRY(SessionReply reply, client_.ask(std::move(look)));
  const auto found = reply.observations.find(std::string(to_string(space)));
  if (found == reply.observations.end()) {
    return fail(ErrorCode::unavailable,
                "no " + std::string(to_string(space)) + " came: " + failure_of(reply));
  }
  return std::move(found->second);
}

Result<double> ShellSession::episode_reward(RewardSpace space) {
  SessionRequest look = request(SessionCommand::observe);
  look.rewards = {space};
  HONE_TRY(const SessionReply reply, client_.ask(std::move(look)));
  const auto found = reply.rewards.find(to_string(space));
  if (found == reply.rewards.end()) {
    return fail(ErrorCode::unavailable, "no " + to_string(space) + " came: " + failure_of(reply));
  }
  return found->second;
}

Result<std::vector<ShellTrial>> ShellSession::try_actions(std::vector<ShellTrial> trials,
                                                          RewardSpace reward,
                                                          const std::stop_token& stop) {
  std::map<std::int64_t, std::size_t> asked;
  std::size_t begun = 0;
  for (std::size_t left = 0; left > 0 || (begun < trials.size() && !stop.stop_requested());) {
    if (begun < trials.size() && left < kAtOnce * kRequestsOfATrial && !stop.stop_requested()) {
      SessionRequest fork = request(SessionCommand::fork);
      SessionRequest step;
      SessionRequest close;
      fork.into = "t" + std::to_string(++sessions_);
      step.session = close.session = fork.into;
      step.command = SessionCommand::step;
      step.pipelines = {trials[begun].pipeline};
      step.rewards = {reward};
      close.command = SessionCommand::close;
      HONE_CHECK(client_.send(std::move(fork)));
      HONE_TRY(const std::int64_t id, client_.send(std::move(step)));
      HONE_CHECK(client_.send(std::move(close)));
      asked[id] = begun++;
      left += kRequestsOfATrial;
      continue;
    }
    HONE_TRY(const SessionReply reply, client_.receive());
    --left;
    const auto answered = asked.find(reply.id);
    if (answered == asked.end()) {
      continue;
    }
    ShellTrial& trial = trials[answered->second];
    trial.failure = failure_of(reply);
    trial.changed = reply.changed;
    if (const auto found = reply.rewards.find(to_string(reward));
        trial.failure.empty() && found != reply.rewards.end()) {
      trial.reward = found->second;
    }
  }
  trials.resize(begun);
  return trials;
}

Result<void> ShellSession::fork(const std::string& name) {
  if (copies_.contains(name)) {
    return fail(ErrorCode::conflict, "there is a copy '" + name + "' already: take another name");
  }
  SessionRequest fork = request(SessionCommand::fork);
  fork.into = "s" + std::to_string(++sessions_);
  Copy copy = copies_[current_];
  copy.session = fork.into;
  HONE_TRY(const SessionReply done, client_.ask(std::move(fork)));
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
