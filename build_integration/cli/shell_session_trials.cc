// What actions would do, tried on copies.
#include <utility>

#include "build_integration/cli/session_bitcode.h"
#include "build_integration/cli/shell_session.h"

namespace hone {
namespace {

constexpr std::size_t kAtOnce = 2;
constexpr std::size_t kRequestsOfATrial = 3;  // a copy, its step, its end

}  // namespace

Result<std::vector<ShellTrial>> ShellSession::try_actions(std::vector<ShellTrial> trials,
                                                          RewardSpace reward,
                                                          const std::stop_token& stop) {
  std::map<std::int64_t, std::size_t> asked;
  std::size_t begun = 0;
  const bool linked = is_linked(observation_of(reward.cost));
  // Nothing else is at work while a run is timed.
  const std::size_t at_once = reward.cost == Cost::runtime ? 1 : kAtOnce;
  std::string before;
  if (linked) {
    HONE_TRY(before, bitcode());
    // Now, while no other request is under way, what is compared with is measured.
    HONE_TRY([[maybe_unused]] const double nothing, linked_->reward(reward, before, before));
  }
  std::optional<Error> failed;
  const auto more = [&] { return begun < trials.size() && !stop.stop_requested() && !failed; };
  for (std::size_t left = 0; left > 0 || more();) {
    if (more() && left < at_once * kRequestsOfATrial) {
      SessionRequest fork = request(SessionCommand::fork);
      SessionRequest step;
      SessionRequest close;
      fork.into = "t" + std::to_string(++sessions_);
      step.session = close.session = fork.into;
      step.command = SessionCommand::step;
      step.pipelines = {trials[begun].pipeline};
      if (linked) {
        step.observe = {ObservationSpace::bitcode};
      } else {
        step.rewards = {reward};
      }
      close.command = SessionCommand::close;
      HONE_CHECK(client_->send(std::move(fork)));
      HONE_TRY(const std::int64_t id, client_->send(std::move(step)));
      HONE_CHECK(client_->send(std::move(close)));
      asked[id] = begun++;
      left += kRequestsOfATrial;
      continue;
    }
    HONE_TRY(const SessionReply reply, client_->receive());
    --left;
    const auto answered = asked.find(reply.id);
    if (answered == asked.end()) {
      continue;
    }
    // What is under way is waited for all the same.
    const Result<void> done = finish_trial(reply, before, reward, trials[answered->second]);
    if (!done && !failed) {
      failed = done.error();
    }
  }
  if (failed) {
    return *failed;
  }
  trials.resize(begun);
  return trials;
}

Result<void> ShellSession::finish_trial(const SessionReply& reply, const std::string& before,
                                        RewardSpace reward, ShellTrial& trial) {
  trial.failure = shell_failure(reply);
  trial.changed = reply.changed;
  if (!trial.failure.empty()) {
    return {};
  }
  if (!is_linked(observation_of(reward.cost))) {
    const auto found = reply.rewards.find(to_string(reward));
    trial.reward = found == reply.rewards.end() ? std::nullopt : std::optional(found->second);
    return {};
  }
  HONE_TRY(const std::string now, bitcode_of(reply));
  const Result<double> value = linked_->reward(reward, before, now);
  if (value) {
    trial.reward = *value;
  } else if (is_of_the_bitcode(value.error())) {
    trial.failure = value.error().describe();
  } else {
    return value.error();
  }
  return {};
}

}  // namespace hone
