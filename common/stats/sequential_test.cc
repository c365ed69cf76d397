#include "common/stats/sequential_test.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/stats/detectable.h"
#include "common/stats/median.h"
#include "common/stats/order_effect.h"
#include "common/stats/signed_rank.h"
#include "common/stats/walsh.h"

namespace hone {
namespace {

// The largest look that is not above max_pairs, or 0.
std::size_t last_look_within(std::size_t max_pairs) {
  std::size_t last = 0;
  for (const std::size_t look : kLooks) {
    last = look <= max_pairs ? look : last;
  }
  return last;
}

}  // namespace

double no_change_delta(const SequentialSettings& settings) {
  const double layout =
      1.96 * settings.sigma_layout * std::sqrt(2.0 / static_cast<double>(settings.layouts));
  return std::max(settings.noise_floor, layout);
}

double interval_multiplier(std::size_t pairs) {
  if (pairs <= 12) {
    return 2.00;
  }
  return pairs <= 16 ? 2.12 : 2.22;
}

Result<SequentialTest> SequentialTest::create(const SequentialSettings& settings) {
  const bool valid = std::isfinite(settings.noise_floor) && settings.noise_floor > 0 &&
                     std::isfinite(settings.sigma_layout) && settings.sigma_layout >= 0 &&
                     settings.layouts >= 1;
  if (!valid) {
    return fail(ErrorCode::invalid_argument,
                "a sequential test needs a positive noise floor, a layout deviation of at least 0 "
                "and at least one layout");
  }
  if (last_look_within(settings.max_pairs) == 0) {
    return fail(ErrorCode::invalid_argument, "a sequential test needs at least " +
                                                 std::to_string(kLooks.front()) + " pairs, not " +
                                                 std::to_string(settings.max_pairs));
  }
  return SequentialTest(settings);
}

SequentialTest::SequentialTest(const SequentialSettings& settings)
    : settings_(settings),
      delta_(no_change_delta(settings)),
      last_look_(last_look_within(settings.max_pairs)) {
  samples_.reserve(last_look_);
}

Result<void> SequentialTest::add(const PairedSample& sample) {
  if (decision_) {
    return fail(ErrorCode::conflict, "the test has decided after " +
                                         std::to_string(decision_->pairs) +
                                         " pairs: " + std::string(to_string(decision_->verdict)));
  }
  if (!std::isfinite(sample.log_ratio)) {
    return fail(ErrorCode::invalid_argument, "a log ratio is not finite");
  }
  samples_.push_back(sample);
  if (std::ranges::find(kLooks, samples_.size()) != kLooks.end()) {
    look();
  }
  return {};
}

std::optional<std::size_t> SequentialTest::next_look() const {
  if (decision_) {
    return std::nullopt;
  }
  return *std::ranges::upper_bound(kLooks, samples_.size());
}

std::size_t SequentialTest::pairs_missing() const {
  const std::optional<std::size_t> next = next_look();
  return next ? *next - samples_.size() : 0;
}

SequentialDecision SequentialTest::snapshot() const {
  const std::vector<double> adjusted = order_adjusted(samples_);
  SequentialDecision decision;
  decision.pairs = samples_.size();
  decision.reward = walsh_interval(adjusted, interval_multiplier(adjusted.size()));
  decision.order_effect = order_effect(samples_);
  decision.delta = delta_;
  decision.sigma = robust_sigma(adjusted);
  decision.detectable = detectable_effect(decision.sigma, decision.pairs, kRejectMultiplier);
  return decision;
}

void SequentialTest::look() {
  SequentialDecision decision = snapshot();
  const std::vector<double> adjusted = order_adjusted(samples_);
  const std::size_t n = adjusted.size();
  const int sign = signed_rank_sign(adjusted, kRejectMultiplier);
  const bool not_better = signed_rank_sign(adjusted, delta_, kNoChangeMultiplier) < 0;
  const bool not_worse =
      settings_.one_sided_no_change || signed_rank_sign(adjusted, -delta_, kNoChangeMultiplier) > 0;
  if (sign != 0) {
    decision.verdict = sign > 0 ? TestVerdict::faster : TestVerdict::slower;
    if (std::abs(decision.reward.estimate) < delta_) {
      decision.verdict = TestVerdict::within_noise;
    }
  } else if (not_better && not_worse) {
    decision.verdict = TestVerdict::no_change;
  } else if (n == last_look_) {
    decision.verdict = TestVerdict::inconclusive;
  } else {
    // No sign of an effect: even at the last look, an effect of this size would not stand out.
    const double standing_out =
        std::abs(median(adjusted)) * std::sqrt(static_cast<double>(last_look_));
    const bool hopeless = n >= kAbortFrom && decision.sigma > kAbortSigma &&
                          standing_out < kAbortEffect * decision.sigma;
    if (!hopeless) {
      return;
    }
    decision.verdict = TestVerdict::too_noisy;
  }
  decision_ = decision;
}

}  // namespace hone
