// What was known of an experience before it was measured, as numbers. Plain values.
#pragma once

#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/learner/buffer/experience.h"

namespace hone {

struct RuleKnob {
  std::string name;
  double value = 0;  // true is 1, false 0
};

// The context: which target and baseline, which stage, staging or production (whose rewards differ,
// so that a model learns by how much), how many objects. And the action's knobs, for models that
// take both.
class ExperienceFeatures {
 public:
  // Those that the rows of an exported file have. too_large past 4096 targets or knobs; what
  // ExperienceStream says.
  static Result<ExperienceFeatures> of_file(const std::filesystem::path& ndjson,
                                            const std::stop_token& stop);

  std::vector<std::string> context_names() const;
  std::vector<double> context(const Experience& row) const;

  std::vector<std::string> knob_names() const;
  // -1 where the candidate leaves a knob as it is. Of several rules that set one, the first counts.
  Result<std::vector<double>> knobs(const Experience& row) const;

 private:
  std::vector<std::string> targets_;
  std::vector<std::string> knobs_;
};

// The knobs with numbers or truths of an experience's rules, in order. invalid_argument for rules
// that are none.
Result<std::vector<RuleKnob>> knobs_of_rules(const std::string& rules);

}  // namespace hone
