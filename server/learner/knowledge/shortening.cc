#include "server/learner/knowledge/shortening.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace hone {
namespace {

constexpr std::size_t kMostPrograms = 4;

// What the sequence gains on some programs, weighted; nothing if it fails on one of them.
class Judge {
 public:
  void add(LabProgram& program, double weight) {
    judged_.push_back({&program, weight});
    weight_ += weight;
  }
  bool empty() const { return judged_.empty(); }
  Result<std::optional<double>> gain(const Sequence& sequence) {
    double sum = 0;
    for (const auto& [program, weight] : judged_) {
      HONE_TRY(const std::vector<Evaluation> evaluations,
               program->evaluate(std::vector<Sequence>{sequence}));
      if (!evaluations[0].cost) {
        return std::optional<double>();
      }
      sum += weight * std::log(program->oz() / std::max(*evaluations[0].cost, 1.0));
    }
    return std::optional(sum / weight_);
  }

 private:
  struct Judged {
    LabProgram* program;
    double weight;
  };
  std::vector<Judged> judged_;
  double weight_ = 0;
};

// The programs for which the sequence is the best of those chosen.
Result<Judge> judge_of(const Sequence& sequence, const std::vector<Sequence>& chosen,
                       std::vector<LabProgram>& programs, const std::vector<double>& weights) {
  std::vector<std::size_t> best_on;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    // Known from the choice: these evaluations come from the log.
    HONE_TRY(const std::vector<Evaluation> evaluations, programs[i].evaluate(chosen));
    std::size_t best = 0;
    for (std::size_t s = 1; s < chosen.size(); ++s) {
      if (evaluations[s].cost &&
          (!evaluations[best].cost || *evaluations[s].cost < *evaluations[best].cost)) {
        best = s;
      }
    }
    if (chosen[best] == sequence && evaluations[best].cost) {
      best_on.push_back(i);
    }
  }
  std::ranges::sort(best_on, [&](std::size_t left, std::size_t right) {
    return weights[left] != weights[right] ? weights[left] > weights[right] : left < right;
  });
  best_on.resize(std::min(best_on.size(), kMostPrograms));
  Judge judge;
  for (const std::size_t i : best_on) {
    judge.add(programs[i], weights[i]);
  }
  return judge;
}

}  // namespace

Result<Sequence> shorten(const Sequence& sequence, const std::vector<Sequence>& chosen,
                         std::vector<LabProgram>& programs, const std::vector<double>& weights) {
  HONE_TRY(Judge judge, judge_of(sequence, chosen, programs, weights));
  if (judge.empty()) {
    return sequence;
  }
  HONE_TRY(const std::optional<double> whole, judge.gain(sequence));
  if (!whole) {
    return sequence;
  }
  Sequence shorter = sequence;
  for (std::size_t piece = (shorter.size() + 1) / 2; piece > 0; piece /= 2) {
    for (std::size_t end = shorter.size(); end > 0 && shorter.size() > 1;) {
      const std::size_t begin = end > piece ? end - piece : 0;
      Sequence without = shorter;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(begin),
                    without.begin() + static_cast<std::ptrdiff_t>(end));
      if (!without.empty()) {
        HONE_TRY(const std::optional<double> gain, judge.gain(without));
        if (gain && *gain >= *whole - kShorteningLoss) {
          shorter = std::move(without);
        }
      }
      end = begin;
    }
  }
  return shorter;
}

}  // namespace hone
