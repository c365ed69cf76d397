#include "server/learner/knowledge/pass_tries.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>

#include "common/base/hash.h"
#include "common/pipelines/successor_weights.h"

namespace hone {
namespace {

// Pipelines as numbers: sequences are compared by the thousand.
using Numbers = std::vector<std::uint32_t>;

class Pipelines {
 public:
  Numbers numbers_of(const Sequence& sequence) {
    Numbers numbers;
    numbers.reserve(sequence.size());
    for (const std::string& pipeline : sequence) {
      const auto [found, is_new] =
          number_.try_emplace(pipeline, static_cast<std::uint32_t>(ends_.size()));
      if (is_new) {
        ends_.push_back(pass_ends(pipeline));
      }
      numbers.push_back(found->second);
    }
    return numbers;
  }
  const PassEnds& ends(std::uint32_t number) const { return ends_[number]; }

 private:
  std::unordered_map<std::string, std::uint32_t> number_;
  std::vector<PassEnds> ends_;
};

Hash128 key_of(const Numbers& numbers) {
  return hash128(std::string_view(reinterpret_cast<const char*>(numbers.data()),
                                  numbers.size() * sizeof(std::uint32_t)));
}

double log_cost(double cost) {
  // A module that was optimised to nothing has no logarithm; one instruction is as little.
  return std::log(std::max(cost, 1.0));
}

}  // namespace

std::vector<PassTry> pass_tries(std::span<const EvaluatedSequence> tried, double most_cost) {
  Pipelines pipelines;
  std::vector<Numbers> sequences;
  std::map<Hash128, double> costs;  // logarithms, of those that are good enough
  for (const EvaluatedSequence& one : tried) {
    sequences.push_back(pipelines.numbers_of(one.sequence));
    if (one.evaluation.cost && *one.evaluation.cost <= most_cost) {
      costs.emplace(key_of(sequences.back()), log_cost(*one.evaluation.cost));
    }
  }
  std::vector<PassTry> tries;
  Numbers without;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const Numbers& with = sequences[s];
    const std::optional<double>& cost = tried[s].evaluation.cost;
    for (std::size_t i = 0; i < with.size(); ++i) {
      const bool again = i + 1 < with.size() && with[i + 1] == with[i];
      if (again || pipelines.ends(with[i]).passes != 1) {
        continue;
      }
      without = with;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (const auto known = costs.find(key_of(without)); known != costs.end()) {
        tries.push_back({i == 0 ? std::string() : pipelines.ends(with[i - 1]).last,
                         pipelines.ends(with[i]).first,
                         cost ? known->second - log_cost(*cost) : 0.0});
      }
    }
  }
  return tries;
}

}  // namespace hone
