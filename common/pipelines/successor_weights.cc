#include "common/pipelines/successor_weights.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double kUnits = 1e9;
// So many draws of kOf know nothing of gains.
constexpr std::uint64_t kUniform = 1;
constexpr std::uint64_t kOf = 3;

std::uint64_t units(double gain) {
  // Written so that what is no number becomes 0.
  return gain > 0 ? static_cast<std::uint64_t>(std::llround(std::min(gain, kMostPassGain) * kUnits))
                  : 0;
}

}  // namespace

void SuccessorWeights::set(const std::string& pass, double gain) {
  passes_[pass].anywhere = units(gain);
}

void SuccessorWeights::set(const std::string& before, const std::string& pass, double gain) {
  passes_[pass].behind[before] = units(gain);
}

std::uint64_t SuccessorWeights::weight(std::string_view before, std::string_view pass) const {
  const auto known = passes_.find(pass);
  if (known == passes_.end()) {
    return 0;
  }
  const auto behind = known->second.behind.find(before);
  return behind == known->second.behind.end() ? known->second.anywhere : behind->second;
}

std::size_t SuccessorWeights::draw(std::string_view before, std::span<const std::string> passes,
                                   Random& random) const {
  if (random.chance(kUniform, kOf)) {
    return random.below(passes.size());
  }
  std::map<std::string_view, std::uint64_t> alike;
  for (const std::string& pass : passes) {
    ++alike[pass];
  }
  std::vector<std::uint64_t> weights;
  weights.reserve(passes.size());
  std::uint64_t sum = 0;
  for (const std::string& pass : passes) {
    weights.push_back(weight(before, pass) / alike[pass]);
    sum += weights.back();
  }
  if (sum == 0) {
    return random.below(passes.size());
  }
  std::uint64_t drawn = random.below(sum);
  std::size_t index = 0;
  while (drawn >= weights[index]) {
    drawn -= weights[index];
    ++index;
  }
  return index;
}

std::string pass_name(const PipelineNode& pass) {
  return pass.name == "default" && pass.parameters ? "default<" + *pass.parameters + ">"
                                                   : pass.name;
}

std::string first_pass(std::span<const PipelineNode> nodes) {
  for (const PipelineNode& node : nodes) {
    std::string name = node.nested ? first_pass(node.children) : pass_name(node);
    if (!name.empty()) {
      return name;
    }
  }
  return {};
}

std::string last_pass(std::span<const PipelineNode> nodes) {
  for (std::size_t i = nodes.size(); i > 0; --i) {
    const PipelineNode& node = nodes[i - 1];
    std::string name = node.nested ? last_pass(node.children) : pass_name(node);
    if (!name.empty()) {
      return name;
    }
  }
  return {};
}

PassEnds pass_ends(std::string_view pipeline) {
  const Result<Forest> forest = parse_pipeline(pipeline);
  if (!forest) {
    return {};
  }
  return {first_pass(forest->nodes), last_pass(forest->nodes), count_passes(*forest)};
}

}  // namespace hone
