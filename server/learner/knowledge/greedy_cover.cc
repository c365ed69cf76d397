#include "server/learner/knowledge/greedy_cover.h"

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

bool fails_too_often(const GainMatrix& gains, std::size_t sequence, double most_failed) {
  const auto failed =
      std::ranges::count_if(gains, [&](const auto& of_program) { return !of_program[sequence]; });
  return static_cast<double>(failed) > most_failed * static_cast<double>(gains.size());
}

}  // namespace

std::vector<CoverStep> greedy_cover(const GainMatrix& gains, const std::vector<double>& weights,
                                    const CoverSettings& settings) {
  std::vector<CoverStep> steps;
  if (gains.empty()) {
    return steps;
  }
  const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> best(gains.size(), 0.0);
  std::vector<std::size_t> open;
  for (std::size_t sequence = 0; sequence < gains[0].size(); ++sequence) {
    if (!fails_too_often(gains, sequence, settings.most_failed)) {
      open.push_back(sequence);
    }
  }
  double value = 0;
  while (steps.size() < settings.most) {
    double most_added = settings.least_added;
    std::optional<std::size_t> chosen;
    for (const std::size_t sequence : open) {
      double added = 0;
      for (std::size_t program = 0; program < gains.size(); ++program) {
        const double gain = gains[program][sequence].value_or(0.0);
        added += weights[program] * std::max(0.0, gain - best[program]);
      }
      if (added / weight > most_added) {
        most_added = added / weight;
        chosen = sequence;
      }
    }
    if (!chosen) {
      break;
    }
    for (std::size_t program = 0; program < gains.size(); ++program) {
      best[program] = std::max(best[program], gains[program][*chosen].value_or(0.0));
    }
    value += most_added;
    steps.push_back({*chosen, value});
    std::erase(open, *chosen);
  }
  return steps;
}

}  // namespace hone
