#include "server/learner/zero_shot/choice_tree.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace hone {
namespace {

using Places = std::vector<std::size_t>;  // of samples

struct Split {
  std::size_t feature = 0;
  std::int64_t threshold = 0;
  double value = 0;  // weighted gain of both sides' best members
};

class Grower {
 public:
  Grower(const std::vector<ChoiceSample>& samples, const ChoiceTreeSettings& settings)
      : samples_(samples),
        settings_(settings),
        members_(samples.empty() ? 1 : samples.front().gains.size()) {
    for (const ChoiceSample& sample : samples) {
      total_ += sample.weight;
    }
  }

  std::vector<ChoiceNode> grow() {
    Places all(samples_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    grow_node(all, 0);
    return std::move(nodes_);
  }

 private:
  // Appends the node and what lies below it; returns its number.
  std::uint32_t grow_node(const Places& places, std::size_t depth) {
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    nodes_[number].member = surest_member(places);
    if (depth == settings_.depth || nodes_.size() + 2 > kMaxChoiceNodes) {
      return number;
    }
    const std::optional<Split> split = best_split(places);
    if (!split) {
      return number;
    }
    Places less;
    Places other;
    for (const std::size_t place : places) {
      (samples_[place].features[split->feature] < split->threshold ? less : other).push_back(place);
    }
    const std::uint32_t left = grow_node(less, depth + 1);
    const std::uint32_t right = grow_node(other, depth + 1);
    const bool leaves = nodes_[left].is_leaf && nodes_[right].is_leaf;
    if (leaves && nodes_[left].member == nodes_[right].member) {
      nodes_.resize(number + 1);  // both sides do the same: no split
      return number;
    }
    ChoiceNode& node = nodes_[number];
    node = ChoiceNode();
    node.is_leaf = false;
    node.feature = static_cast<std::uint32_t>(split->feature);
    node.threshold = split->threshold;
    node.less = left;
    node.other = right;
    return number;
  }

  // By mean less standard error, over families.
  std::uint32_t surest_member(const Places& places) const {
    std::uint32_t best = 0;
    double best_bound = 0;
    for (std::size_t member = 1; member < members_; ++member) {
      std::map<std::string_view, std::pair<double, double>> families;  // weight, weighted gain
      for (const std::size_t place : places) {
        const ChoiceSample& sample = samples_[place];
        auto& [weight, gain] = families[sample.family];
        weight += sample.weight;
        gain += sample.weight * sample.gains[member];
      }
      double weight = 0;
      double sum = 0;
      for (const auto& [family, numbers] : families) {
        weight += numbers.first;
        sum += numbers.second;
      }
      if (families.size() < 2 || weight <= 0) {
        continue;  // one family says nothing about others
      }
      const double mean = sum / weight;
      double squares = 0;
      for (const auto& [family, numbers] : families) {
        const double off = numbers.second - mean * numbers.first;
        squares += off * off;
      }
      const auto count = static_cast<double>(families.size());
      const double error = std::sqrt(squares * count / (count - 1)) / weight;
      if (mean - error > best_bound) {
        best_bound = mean - error;
        best = static_cast<std::uint32_t>(member);
      }
    }
    return best;
  }

  std::optional<Split> best_split(const Places& places) const {
    std::vector<double> sums(members_, 0.0);
    for (const std::size_t place : places) {
      add(sums, place, 1);
    }
    const double unsplit = *std::ranges::max_element(sums);
    std::optional<Split> best;
    Places sorted = places;
    for (std::size_t feature = 0; feature < kChoiceFeatureCount; ++feature) {
      const auto value_of = [&](std::size_t place) { return samples_[place].features[feature]; };
      std::ranges::sort(sorted, [&](std::size_t a, std::size_t b) {
        return std::pair(value_of(a), a) < std::pair(value_of(b), b);
      });
      std::vector<double> below(members_, 0.0);
      for (std::size_t i = 1; i < sorted.size(); ++i) {
        add(below, sorted[i - 1], 1);
        if (value_of(sorted[i - 1]) == value_of(sorted[i]) || i < settings_.least_programs ||
            sorted.size() - i < settings_.least_programs) {
          continue;
        }
        double above = sums[0] - below[0];
        for (std::size_t member = 1; member < members_; ++member) {
          above = std::max(above, sums[member] - below[member]);
        }
        const double value = *std::ranges::max_element(below) + above;
        const bool better =
            value > (best ? best->value : unsplit + settings_.least_gained * total_);
        if (better && has_families(sorted, 0, i) && has_families(sorted, i, sorted.size())) {
          // Between the two, so that a number seen in neither goes to the nearer.
          const std::int64_t low = value_of(sorted[i - 1]);
          best = {feature, low + (value_of(sorted[i]) - low + 1) / 2, value};
        }
      }
    }
    return best;
  }

  void add(std::vector<double>& sums, std::size_t place, double sign) const {
    const ChoiceSample& sample = samples_[place];
    for (std::size_t member = 0; member < members_; ++member) {
      sums[member] += sign * sample.weight * sample.gains[member];
    }
  }

  bool has_families(const Places& places, std::size_t from, std::size_t to) const {
    std::set<std::string_view> families;
    for (std::size_t i = from; i < to && families.size() < settings_.least_families; ++i) {
      families.insert(samples_[places[i]].family);
    }
    return families.size() >= settings_.least_families;
  }

  const std::vector<ChoiceSample>& samples_;
  const ChoiceTreeSettings& settings_;
  std::size_t members_;
  double total_ = 0;
  std::vector<ChoiceNode> nodes_;
};

}  // namespace

void weigh_by_family(std::vector<ChoiceSample>& samples) {
  std::map<std::string, std::size_t> programs;
  for (const ChoiceSample& sample : samples) {
    ++programs[sample.family];
  }
  for (ChoiceSample& sample : samples) {
    sample.weight = 1.0 / static_cast<double>(programs[sample.family]);
  }
}

std::vector<ChoiceNode> grow_tree(const std::vector<ChoiceSample>& samples,
                                  const ChoiceTreeSettings& settings) {
  return Grower(samples, settings).grow();
}

double tree_gain(const std::vector<ChoiceNode>& nodes, const std::vector<ChoiceSample>& samples) {
  ChoiceModel model;
  model.nodes = nodes;
  double gain = 0;
  double weight = 0;
  for (const ChoiceSample& sample : samples) {
    gain += sample.weight * sample.gains[choose_member(model, sample.features)];
    weight += sample.weight;
  }
  return weight > 0 ? gain / weight : 0;
}

double held_out_gain(const std::vector<ChoiceSample>& samples, const ChoiceTreeSettings& settings) {
  std::set<std::string> families;
  double weight = 0;
  for (const ChoiceSample& sample : samples) {
    families.insert(sample.family);
    weight += sample.weight;
  }
  double gain = 0;
  for (const std::string& family : families) {
    std::vector<ChoiceSample> seen;
    std::vector<ChoiceSample> held;
    double held_weight = 0;
    for (const ChoiceSample& sample : samples) {
      if (sample.family == family) {
        held.push_back(sample);
        held_weight += sample.weight;
      } else {
        seen.push_back(sample);
      }
    }
    gain += held_weight * tree_gain(grow_tree(seen, settings), held);
  }
  return weight > 0 ? gain / weight : 0;
}

}  // namespace hone
