#include "build_integration/cli/sample_pairs.h"

#include <cstdint>
#include <map>
#include <string>

namespace hone {
namespace {

// The two runs of one input in one pair.
struct Runs {
  double baseline = 0;
  double candidate = 0;
  bool baseline_first = true;
  bool complete() const { return baseline != 0 && candidate != 0; }
};

}  // namespace

Result<std::vector<PairedSample>> pairs_of(std::span<const Sample> samples,
                                           const MetricSpec& metric) {
  std::map<std::int64_t, std::map<std::string, Runs>> pairs;
  for (const Sample& sample : samples) {
    if (sample.metric != metric.metric) {
      continue;
    }
    Runs& runs = pairs[sample.pair][sample.input];
    if (sample.role == SampleRole::baseline) {
      runs.baseline = sample.value;
      runs.baseline_first = sample.position == 0;
    } else {
      runs.candidate = sample.value;
    }
  }
  std::vector<PairedSample> paired;
  for (const auto& [number, inputs] : pairs) {
    PairedSample mean;
    bool complete = true;
    for (const auto& [input, runs] : inputs) {
      if (!runs.complete()) {
        complete = false;
        break;
      }
      mean.order = runs.baseline_first ? RunOrder::baseline_first : RunOrder::candidate_first;
      HONE_TRY(const PairedSample one, paired_sample(runs.baseline, runs.candidate, mean.order));
      const double reward = metric.higher_is_better ? -one.log_ratio : one.log_ratio;
      mean.log_ratio += reward / static_cast<double>(inputs.size());
    }
    if (complete) {
      paired.push_back(mean);
    }
  }
  return paired;
}

}  // namespace hone
