#include "server/learner/proposing/proposal.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/search/stratified_draw.h"
#include "server/learner/proposing/candidate_parts.h"

namespace hone {
namespace {

constexpr std::string_view kGenerator = "hone-learner effects 2";
constexpr std::size_t kParents = 8;
constexpr std::size_t kDraws = 400;
// What a variant must bring beyond the parents to be worth a measurement: most settings change
// nothing in a given program, and a parent with one of them more is the parent again.
constexpr double kLeastGain = 0.002;
constexpr std::uint64_t kWeightOfAWin = 8;
// Sets the stream of the choice apart from that of the variants.
constexpr std::uint64_t kChoiceStream = 0x7c0ffee15bad5eedU;

struct RankedTrial {
  const Trial* trial = nullptr;
  double worth = 0;
};

// Those with a reward, by expected worth.
std::vector<RankedTrial> ranked(std::span<const Trial> trials, const EffectModel& model) {
  std::vector<RankedTrial> best;
  std::vector<Assignment> assignments;
  for (const Trial& trial : trials) {
    if (trial.reward && !trial.failed && !trial.withdrawn) {
      best.push_back({&trial, 0});
      assignments.push_back(trial.assignment);
    }
  }
  const std::vector<EffectEstimate> estimates = model.estimate(assignments);
  for (std::size_t i = 0; i < best.size(); ++i) {
    best[i].worth = estimates[i].mean;
  }
  std::ranges::sort(best, [](const RankedTrial& a, const RankedTrial& b) {
    return std::pair(-a.worth, a.trial->candidate) < std::pair(-b.worth, b.trial->candidate);
  });
  return best;
}

// Those to build upon, the most promising first; before them what canaries have put in force.
std::vector<const Trial*> parents_of(const std::vector<RankedTrial>& ranking) {
  std::vector<const Trial*> parents;
  for (const RankedTrial& one : ranking) {
    if (one.trial->in_force) {
      parents.push_back(one.trial);
    }
  }
  for (const RankedTrial& one : ranking) {
    if (!one.trial->in_force && one.worth > 0 && parents.size() < kParents) {
      parents.push_back(one.trial);
    }
  }
  return parents;
}

using PartsByFile = std::set<std::string>;

PartsByFile parts_by_file(const Assignment& assignment, int llvm_major) {
  PartsByFile parts;
  const auto add = [&](const std::string& file, const Decision& decision) {
    for (const auto& [part, amount] : parts_of(decision, llvm_major)) {
      parts.insert(file + "\n" + part);
    }
  };
  add("*", assignment.general);
  for (const auto& [file, decision] : assignment.files) {
    add(file, decision);
  }
  return parts;
}

void add(const Variant& variant, double log_propensity, const std::vector<std::string>& levels,
         CandidateSet& set) {
  Candidate candidate;
  candidate.index = static_cast<std::int64_t>(set.candidates.size());
  candidate.origin = variant.origin;
  candidate.note = variant.note;
  candidate.log_propensity = log_propensity;
  candidate.rules = rules_of(variant.assignment, levels);
  set.candidates.push_back(std::move(candidate));
}

EffectModel fitted(const ProposalSpec& spec, std::span<const Trial> trials) {
  const TargetTrials own{"", {trials.begin(), trials.end()}, spec.variants.hot};
  return EffectModel::fit(own, spec.variants.llvm_major, spec.others);
}

// Without those that do all that a failed trial did, or the same as one that was withdrawn.
void leave_out_failures(std::vector<Variant>& variants, std::span<const Trial> trials,
                        int llvm_major) {
  std::vector<PartsByFile> failures;
  std::set<PartsByFile> withdrawn;
  for (const Trial& trial : trials) {
    if (trial.failed) {
      failures.push_back(parts_by_file(trial.assignment, llvm_major));
    } else if (trial.withdrawn) {
      withdrawn.insert(parts_by_file(trial.assignment, llvm_major));
    }
  }
  if (failures.empty() && withdrawn.empty()) {
    return;
  }
  std::erase_if(variants, [&](const Variant& variant) {
    const PartsByFile parts = parts_by_file(variant.assignment, llvm_major);
    return withdrawn.contains(parts) ||
           std::ranges::any_of(failures, [&](const PartsByFile& failure) {
             return std::ranges::includes(parts, failure);
           });
  });
}

}  // namespace

Result<CandidateSet> propose(const ProposalSpec& spec, std::span<const Trial> trials) {
  if (spec.count == 0 || spec.count > kMaxCandidates) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("a proposal has 1 to {} candidates, not {}", kMaxCandidates, spec.count));
  }
  const int major = spec.variants.llvm_major;
  const EffectModel model = fitted(spec, trials);
  const std::vector<const Trial*> chosen = parents_of(ranked(trials, model));
  std::vector<Assignment> parents;
  for (const Trial* const one : chosen) {
    parents.push_back(one->assignment);
  }
  std::set<std::string> tried;
  for (const Trial& trial : trials) {
    tried.insert(key_of(trial.assignment));
  }
  CandidateSet set;
  set.generator = kGenerator;
  set.seed = spec.seed;
  const auto best = std::ranges::find_if(chosen, [](const Trial* one) { return !one->elsewhere; });
  if (spec.last && best != chosen.end()) {
    std::vector<Variant> ablations = make_ablations(spec.variants, (*best)->assignment, tried);
    leave_out_failures(ablations, trials, major);
    for (const Variant& variant : std::span(ablations).first(
             std::min(ablations.size(), std::max(spec.count / 2, std::size_t{1})))) {
      tried.insert(key_of(variant.assignment));
      add(variant, 0, spec.levels, set);
    }
  }
  Random random(spec.seed);
  std::vector<Variant> variants = make_variants(spec.variants, parents, tried, random);
  leave_out_failures(variants, trials, major);
  if (variants.empty() && set.candidates.empty()) {
    return fail(ErrorCode::not_found, "nothing is left to be tried");
  }
  std::vector<Assignment> assignments;
  assignments.reserve(variants.size());
  for (const Variant& variant : variants) {
    assignments.push_back(variant.assignment);
  }
  Random choice(spec.seed ^ kChoiceStream);
  Stratum stratum{1, {}};
  for (const std::size_t wins :
       model.count_best(assignments, parents, kLeastGain, kDraws, choice)) {
    stratum.member_weights.push_back(1 + kWeightOfAWin * wins);
  }
  StratifiedDraw draws({std::move(stratum)});
  set.scheme = fmt::format(
      "{} certain (p = 1), being the most promising trial with one part less; then draws one after "
      "the other without replacement from {} variants of the {} most promising "
      "trials; p = w / sum of the w left, w = 1 + {} times how often of {} draws from the model of "
      "{} trials (scale {:.4f}; {} other targets, sharing {}) the variant is the best, by at least "
      "{} better than those trials.",
      set.candidates.size(), variants.size(), parents.size(), kWeightOfAWin, kDraws, trials.size(),
      model.scale(), spec.others.size(), model.sharing(), kLeastGain);
  if (spec.variants.successors) {
    set.scheme += " Passes of edits and tails were drawn by a synergy graph.";
  }
  while (set.candidates.size() < spec.count) {
    const std::optional<Draw> draw = draws.next(choice);
    if (!draw) {
      break;
    }
    add(variants[draw->member], draw->log_propensity, spec.levels, set);
  }
  return set;
}

std::vector<std::string> choose_finalists(const ProposalSpec& spec, std::span<const Trial> trials) {
  const EffectModel model = fitted(spec, trials);
  const int major = spec.variants.llvm_major;
  std::vector<const Trial*> chosen;
  for (const RankedTrial& one : ranked(trials, model)) {
    if (one.worth <= 0) {
      break;
    }
    if (one.trial->elsewhere) {
      continue;
    }
    const auto equal = std::ranges::find_if(
        chosen, [&](const Trial* other) { return other->reward == one.trial->reward; });
    if (equal != chosen.end()) {
      const std::size_t parts = parts_by_file(one.trial->assignment, major).size();
      if (parts < parts_by_file((*equal)->assignment, major).size()) {
        *equal = one.trial;
      }
    } else if (chosen.size() < kMaxFinalists) {
      chosen.push_back(one.trial);
    }
  }
  std::vector<std::string> ids;
  for (const Trial* trial : chosen) {
    ids.push_back(trial->candidate);
  }
  return ids;
}

}  // namespace hone
