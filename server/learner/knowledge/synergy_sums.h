// Adds up what passes brought, program by program, and makes a synergy graph of it. Not thread safe
// while something is added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/search/synergy_graph.h"
#include "server/learner/knowledge/pass_tries.h"

namespace hone {

// A single program must not decide by itself what a pass is worth.
inline constexpr double kMostGainOfATry = 0.2;
// Programs that a pair must have been tried on to have an edge.
inline constexpr std::size_t kLeastPrograms = 3;

class SynergySums {
 public:
  // One program's tries, once a program. A gain below 0 counts as 0 (nobody keeps such a pass), one
  // above kMostGainOfATry as that. `weight` is positive.
  void add(std::span<const PassTry> tries, double weight);

  std::uint64_t tries() const { return tries_; }

  // Passes and edges; the rest of the graph is the caller's. A pass's gain is drawn towards that of
  // all passes as if two programs had shown that one, a pair's towards the pass's as if four had.
  // Edges are those that then differ from their pass's gain by a tenth of it or more, the
  // `most_edges` that differ most, counted in programs times gain.
  SynergyGraph graph(std::size_t most_edges) const;

 private:
  struct Sum {
    double weight = 0;
    double gain = 0;  // weighted
    std::size_t programs = 0;
    double mean_towards(double mean, double programs_of_it) const;
  };
  Sum all_;
  std::map<std::string, Sum> passes_;
  std::map<std::pair<std::string, std::string>, Sum> pairs_;  // before, pass
  std::uint64_t tries_ = 0;
};

}  // namespace hone
