#include "server/learner/proposing/production_trials.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "server/learner/proposing/candidate_parts.h"
#include "server/learner/proposing/effect_rows.h"
#include "server/learner/proposing/production_correction.h"

namespace hone {
namespace {

constexpr double kQuantile = 1.959964;  // of a normal distribution's 95 % interval

TrialReward reward_of(const RewardEstimate& estimate) {
  return {estimate.value, (estimate.high - estimate.low) / (2 * kQuantile)};
}

// What takes effect: parts by file, whatever the rules' words are.
using Effective = std::map<std::string, double>;

Effective effective_of(const Assignment& assignment, int llvm_major) {
  Effective parts;
  const auto add = [&](const std::string& file, const Decision& decision) {
    for (const auto& [part, amount] : parts_of(decision, llvm_major)) {
      parts[file + "\n" + part] = amount;
    }
  };
  add("*", assignment.general);
  for (const auto& [file, decision] : assignment.files) {
    add(file, decision);
  }
  return parts;
}

// Distinct programs, as far as they are known to be: the nodes of the model.
class Programs {
 public:
  Programs(int llvm_major, std::span<const FileShare> hot) : llvm_major_(llvm_major), hot_(hot) {}

  // A trial's; equal measurements are of one program.
  void add(const Trial& trial) {
    const Effective effective = effective_of(trial.assignment, llvm_major_);
    if (trial.reward) {
      const auto measured = std::pair(trial.reward->value, trial.reward->standard_deviation);
      const auto [known, is_new] = by_measurement_.try_emplace(measured, staging_.size());
      if (is_new) {
        make(trial.assignment, *trial.reward);
      }
      by_effect_.try_emplace(effective, known->second);
    }
  }
  // A canary's, perhaps one that is known.
  std::size_t find_or_add(const Assignment& assignment, const std::optional<TrialReward>& staged) {
    const auto [known, is_new] =
        by_effect_.try_emplace(effective_of(assignment, llvm_major_), staging_.size());
    if (is_new) {
      make(assignment, staged.value_or(kNotStaged));
    }
    return known->second;
  }
  std::optional<std::size_t> find(const Assignment& assignment) const {
    const auto known = by_effect_.find(effective_of(assignment, llvm_major_));
    return known == by_effect_.end() ? std::nullopt : std::optional(known->second);
  }
  // A binary equal to the baseline's is worth 0 wherever it runs.
  bool is_plain(std::size_t program) const {
    return staging_[program].standard_deviation <= kEqualDeviation;
  }
  const std::vector<TrialReward>& staging() const { return staging_; }
  double likeness(std::size_t i, std::size_t j) const {
    const double scale =
        std::sqrt(covariance(rows_[i], rows_[i], 0) * covariance(rows_[j], rows_[j], 0));
    return scale > 0 ? covariance(rows_[i], rows_[j], 0) / scale : 0;
  }

 private:
  void make(const Assignment& assignment, const TrialReward& reward) {
    staging_.push_back(reward);
    rows_.push_back(effect_row("", assignment, llvm_major_, hot_));
  }

  int llvm_major_;
  std::span<const FileShare> hot_;
  std::map<std::pair<double, double>, std::size_t> by_measurement_;
  std::map<Effective, std::size_t> by_effect_;
  std::vector<TrialReward> staging_;
  std::vector<EffectRow> rows_;
};

std::optional<TrialReward> staged_of(const LessonPolicy& policy, BaselineKind baseline) {
  return policy.staging && policy.staging->baseline == baseline
             ? std::optional(reward_of(policy.staging->reward))
             : std::nullopt;
}

// A canary whose policy is an assignment.
struct Tried {
  const CanaryLesson* lesson = nullptr;
  Assignment assignment;
  std::size_t program = 0;
  bool was_a_trial = false;
};

// Adds the canary's programs, and what it saw of them if that says something.
void observe(const Tried& tried, BaselineKind baseline, Programs& programs,
             std::vector<CanaryObservation>& seen) {
  if (!tried.lesson->production || programs.is_plain(tried.program)) {
    return;
  }
  CanaryObservation observation{tried.program, std::nullopt, reward_of(*tried.lesson->production)};
  if (const auto& before = tried.lesson->known_good; before && !before->rules.empty()) {
    std::optional<Assignment> assignment = assignment_of(before->rules);
    if (!assignment) {
      return;  // nobody knows what it was compared with
    }
    const std::size_t program =
        programs.find_or_add(tidy(*std::move(assignment)), staged_of(*before, baseline));
    if (program == tried.program) {
      return;  // against itself
    }
    if (!programs.is_plain(program)) {
      observation.known_good = program;
    }
  }
  seen.push_back(observation);
}

}  // namespace

std::vector<Trial> with_production(std::span<const Trial> trials,
                                   std::span<const CanaryLesson> lessons, BaselineKind baseline,
                                   int llvm_major, std::span<const FileShare> hot) {
  std::vector<Trial> corrected(trials.begin(), trials.end());
  Programs programs(llvm_major, hot);
  for (const Trial& trial : trials) {
    programs.add(trial);
  }
  const std::size_t of_trials = programs.staging().size();
  std::vector<Tried> canaries;
  std::vector<CanaryObservation> seen;
  for (const CanaryLesson& lesson : lessons.first(std::min(lessons.size(), kMostLessons))) {
    std::optional<Assignment> assignment = assignment_of(lesson.tried.rules);
    if (!assignment) {
      continue;
    }
    Tried tried{&lesson, tidy(*std::move(assignment)), 0, false};
    tried.program = programs.find_or_add(tried.assignment, staged_of(lesson.tried, baseline));
    tried.was_a_trial = tried.program < of_trials;
    observe(tried, baseline, programs, seen);
    canaries.push_back(std::move(tried));
  }
  if (canaries.empty()) {
    return corrected;
  }
  const Likeness likeness = [&](std::size_t i, std::size_t j) { return programs.likeness(i, j); };
  const ProductionCorrection known = correct_by_production(programs.staging(), seen, likeness);
  // The newest word on each program counts.
  std::map<std::size_t, const CanaryLesson*> newest;
  std::map<std::size_t, bool> is_seen;
  for (const Tried& tried : canaries) {
    newest.try_emplace(tried.program, tried.lesson);
  }
  for (const CanaryObservation& observation : seen) {
    is_seen[observation.tried] = true;
  }
  for (Trial& trial : corrected) {
    const std::optional<std::size_t> program = programs.find(trial.assignment);
    if (!program) {
      continue;
    }
    if (trial.reward && !programs.is_plain(*program)) {
      trial.reward = known.worth[*program];
    }
    if (const auto lesson = newest.find(*program); lesson != newest.end()) {
      trial.withdrawn = lesson->second->withdrawn();
      trial.in_force = lesson->second->in_force;
    }
  }
  for (const Tried& tried : canaries) {
    if (tried.was_a_trial || newest.at(tried.program) != tried.lesson) {
      continue;
    }
    Trial trial;
    trial.candidate = tried.lesson->tried.candidate;
    trial.origin = "canary";
    trial.assignment = tried.assignment;
    trial.elsewhere = true;
    trial.withdrawn = tried.lesson->withdrawn();
    trial.in_force = tried.lesson->in_force;
    if (is_seen[tried.program] || staged_of(tried.lesson->tried, baseline)) {
      trial.reward = known.worth[tried.program];
    }
    // It went down before anything could be measured: what has all of it is not tried either.
    trial.failed = trial.withdrawn && !is_seen[tried.program];
    corrected.push_back(std::move(trial));
  }
  return corrected;
}

}  // namespace hone
