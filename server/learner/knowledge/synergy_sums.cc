#include "server/learner/knowledge/synergy_sums.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hone {
namespace {

constexpr double kProgramsOfTheMean = 2;
constexpr double kProgramsOfThePass = 4;
constexpr double kLeastDifference = 0.1;

struct Mean {
  double sum = 0;
  double count = 0;
  void add(double value) {
    sum += value;
    count += 1;
  }
  double value() const { return sum / count; }
};

double rounded(double gain) {
  return std::round(gain * 1e7) / 1e7;
}

}  // namespace

// Weights are relative to their own mean, so that `programs_of_it` counts programs.
double SynergySums::Sum::mean_towards(double mean, double programs_of_it) const {
  const auto count = static_cast<double>(programs);
  const double own = weight > 0 ? gain / weight : mean;
  return (count * own + programs_of_it * mean) / (count + programs_of_it);
}

void SynergySums::add(std::span<const PassTry> tries, double weight) {
  std::map<std::string, Mean> passes;
  std::map<std::pair<std::string, std::string>, Mean> pairs;
  for (const PassTry& one : tries) {
    const double gain = std::clamp(one.gain, 0.0, kMostGainOfATry);
    passes[one.pass].add(gain);
    pairs[{one.before, one.pass}].add(gain);
  }
  const auto add_to = [&](Sum& sum, double gain) {
    sum.weight += weight;
    sum.gain += weight * gain;
    ++sum.programs;
  };
  for (const auto& [pass, mean] : passes) {
    add_to(passes_[pass], mean.value());
    add_to(all_, mean.value());
  }
  for (const auto& [pair, mean] : pairs) {
    add_to(pairs_[pair], mean.value());
  }
  tries_ += tries.size();
}

SynergyGraph SynergySums::graph(std::size_t most_edges) const {
  SynergyGraph graph;
  const double mean = all_.weight > 0 ? all_.gain / all_.weight : 0.0;
  std::map<std::string, double> gains;
  for (const auto& [pass, sum] : passes_) {
    gains[pass] = sum.mean_towards(mean, kProgramsOfTheMean);
    graph.passes.push_back({pass, rounded(gains[pass]), sum.programs});
  }
  struct Ranked {
    double difference;
    SynergyEdge edge;
  };
  std::vector<Ranked> ranked;
  for (const auto& [pair, sum] : pairs_) {
    const double alone = gains[pair.second];
    const double gain = sum.mean_towards(alone, kProgramsOfThePass);
    const double difference = std::abs(gain - alone);
    if (sum.programs >= kLeastPrograms && difference > kLeastDifference * alone) {
      ranked.push_back({difference * static_cast<double>(sum.programs),
                        {pair.first, pair.second, rounded(gain), sum.programs}});
    }
  }
  std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
    return std::tie(b.difference, a.edge.before, a.edge.pass) <
           std::tie(a.difference, b.edge.before, b.edge.pass);
  });
  ranked.resize(std::min(ranked.size(), most_edges));
  for (Ranked& one : ranked) {
    graph.edges.push_back(std::move(one.edge));
  }
  std::ranges::sort(graph.edges, {},
                    [](const SynergyEdge& edge) { return std::tie(edge.before, edge.pass); });
  return graph;
}

}  // namespace hone
