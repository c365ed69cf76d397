// Episodes of pass ordering in compile sessions, as an environment for an agent: each action is a
// pipeline, the last one ends the episode. The reward of a step is ln(cost before / cost after), so
// that an episode's sum is ln(cost of the unoptimised program / cost in the end).
//
// An observation holds the module's features (program_features.h), ln(cost / cost of -Oz),
// ln(cost / cost at the beginning), the share of the steps that are over, and a count of each
// action taken that fades by a tenth a step. What a session's reply masks is not allowed. Not
// thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/search/sequence_search.h"
#include "common/sessions/reward_space.h"
#include "common/sessions/session_client.h"
#include "server/learner/models/environment.h"

namespace hone {

struct PassEpisodesSettings {
  std::vector<std::string> actions;  // pipelines; the end of the episode comes behind them
  std::size_t length = 16;           // steps of an episode, at most
  Cost cost = Cost::ir_instruction_count;
};

class PassEpisodes final : public Environment {
 public:
  // The client must serve nobody else.
  PassEpisodes(SessionClient client, PassEpisodesSettings settings);

  // Another program, by its file of bitcode. Errors of the session; unsupported if -Oz fails on it
  // or leaves nothing to be counted.
  Result<void> add(const std::string& file);
  // Its costs after -Oz, and before any pass.
  double oz(std::size_t program) const { return programs_[program].oz; }
  double cost(std::size_t program) const { return programs_[program].start.cost; }
  // The module's own, before any pass.
  const std::vector<double>& features(std::size_t program) const {
    return programs_[program].start.features;
  }
  // The pipelines that these actions stand for.
  Sequence sequence(const std::vector<std::size_t>& actions) const;
  double cpu_seconds() const { return client_.cpu_seconds(); }

  std::size_t inputs() const override;
  std::size_t actions() const override { return settings_.actions.size() + 1; }
  std::size_t programs() const override { return programs_.size(); }
  Result<std::vector<Situation>> begin(std::span<const std::size_t> programs) override;
  Result<std::vector<Situation>> step(std::span<const std::size_t> actions) override;

 private:
  struct Module {
    std::vector<double> features;
    double cost = 0;
  };
  struct Start {
    std::string session;
    Module start;
    double oz = 0;
  };
  struct Running {
    std::size_t program = 0;
    std::string session;
    Module now;
    std::vector<double> taken;  // of each action, fading
    std::vector<std::uint8_t> allowed;
    std::size_t steps = 0;
    bool done = false;
  };

  Result<SessionReply> ask(const std::string& session, SessionCommand command,
                           std::vector<std::string> pipelines);
  SessionRequest request(const std::string& session, SessionCommand command) const;
  Result<Module> module_of(const SessionReply& reply) const;
  void mask(const SessionReply& reply, Running& running) const;
  Result<void> end_all();
  // One reply for each request that was sent, by its id.
  Result<std::map<std::int64_t, SessionReply>> receive(std::size_t count);
  Situation seen(const Running& running, double reward) const;

  SessionClient client_;
  PassEpisodesSettings settings_;
  std::map<std::string, std::size_t> number_;  // of each action
  std::vector<Start> programs_;
  std::vector<Running> running_;
  std::uint64_t begun_ = 0;
};

}  // namespace hone
