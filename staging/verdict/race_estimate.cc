#include "staging/verdict/race_estimate.h"

#include <cmath>

#include "common/stats/detectable.h"
#include "common/stats/fixed_interval.h"
#include "common/stats/layout_effect.h"
#include "common/stats/normal.h"
#include "common/stats/order_effect.h"
#include "common/stats/sequential_test.h"
#include "common/stats/signed_rank.h"
#include "staging/verdict/comparison.h"
#include "staging/verdict/diagnostics.h"

namespace hone {
namespace {

static_assert(kCampaignHalving.last_blocks == kRacePairs);
static_assert(kCampaignHalving.last_blocks >> (kCampaignHalving.most_rounds - 1) == kFewestShown);

std::vector<double> log_ratios(const RaceEntry& entry) {
  std::vector<double> ratios;
  ratios.reserve(entry.pairs.size());
  for (const PairedSample& pair : entry.pairs) {
    ratios.push_back(pair.log_ratio);
  }
  return ratios;
}

double sigma_of_links(const RaceEntry& entry) {
  std::vector<LayoutSample> links(entry.pairs.size());
  const std::vector<double> adjusted = order_adjusted(entry.pairs);
  for (std::size_t pair = 0; pair < links.size(); ++pair) {
    links[pair].log_ratio = adjusted[pair];
  }
  for (const Sample& sample : entry.samples) {
    LayoutSample& link = links[static_cast<std::size_t>(sample.pair)];
    (sample.role == SampleRole::baseline ? link.baseline_layout : link.candidate_layout) =
        static_cast<std::size_t>(sample.layout);
  }
  return layout_sigma(links);
}

// doubts() says of an order effect that it was subtracted: here it cancels.
std::vector<std::string> doubts_about(const RaceEntry& entry) {
  std::vector<PairedSample> pairs = entry.pairs;
  const std::vector<double> adjusted = order_adjusted(pairs);
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    pairs[pair].log_ratio = adjusted[pair];
  }
  return doubts(entry.samples, pairs);
}

}  // namespace

std::optional<RaceEstimate> race_estimate(const RaceEntry& entry, std::size_t layouts,
                                          double noise_floor) {
  const std::vector<double> ratios = log_ratios(entry);
  RaceEstimate result;
  const Result<Interval> interval = wilcoxon_interval(ratios, result.reward.confidence);
  if (ratios.size() < kFewestShown || !interval) {
    return std::nullopt;
  }
  result.reward.value = interval->estimate;
  result.reward.low = interval->low;
  result.reward.high = interval->high;
  result.reward.pairs = static_cast<std::int64_t>(ratios.size());
  result.reward.noise = robust_sigma(ratios);
  const double rejects = -normal_quantile((1 - result.reward.confidence) / 2);
  result.reward.detectable_effect = detectable_effect(result.reward.noise, ratios.size(), rejects);
  result.layout_sigma = sigma_of_links(entry);
  result.warnings = doubts_about(entry);
  if (!interval->contains(0)) {
    result.verdict = interval->estimate > 0 ? Verdict::faster : Verdict::slower;
    const double size = std::fabs(interval->estimate);
    if (size < noise_floor) {
      result.verdict = Verdict::within_noise;
    } else if (size < layout_difference(result.layout_sigma, layouts)) {
      result.verdict = Verdict::within_noise;
      result.warnings.emplace_back(
          "the difference is one that links of the same objects show as well");
    }
  } else if (signed_rank_sign(ratios, noise_floor, kNoChangeMultiplier) < 0 &&
             signed_rank_sign(ratios, -noise_floor, kNoChangeMultiplier) > 0) {
    result.verdict = Verdict::no_change;
  }
  return result;
}

}  // namespace hone
