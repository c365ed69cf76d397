// What an agent acts in, episode by episode: compile sessions (lab/pass_episodes.h), or a toy in a
// test. Episodes are stepped together, so that an environment may do their steps at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"

namespace hone {

// What the agent sees of an episode.
struct Situation {
  std::vector<double> observation;
  std::vector<std::uint8_t> allowed;  // of each action; at least one, unless the episode is done
  double reward = 0;                  // of the action that led here
  bool done = false;
};

class Environment {
 public:
  virtual ~Environment() = default;
  virtual std::size_t inputs() const = 0;   // numbers of an observation
  virtual std::size_t actions() const = 0;  // that are numbered from 0
  // Where an episode can begin; numbered from 0.
  virtual std::size_t programs() const = 0;

  // Ends the episodes under way and begins one for each program that is named; one program may be
  // named often.
  virtual Result<std::vector<Situation>> begin(std::span<const std::size_t> programs) = 0;
  // One action for each episode, in the order of begin(); that of one that is done is ignored.
  virtual Result<std::vector<Situation>> step(std::span<const std::size_t> actions) = 0;
};

}  // namespace hone
