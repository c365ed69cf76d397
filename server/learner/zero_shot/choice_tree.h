// Grows the tree of a choice (common/choice): which member to compile a module with, by its
// numbers.
//
// Greedy exact splits that maximise the weighted gain of the best member on either side. A leaf
// takes the member whose mean gain less its standard error, over families, is largest; the first
// member, the compiler's own pipeline, has gain 0 by definition, so that what is not sure to gain
// stays plain. Of equals the first. Pure mathematics, no chance in it. Thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/choice/choice_model.h"

namespace hone {

struct ChoiceSample {
  std::string family;  // programs of one source are much alike: they are held out together
  ChoiceFeatures features{};
  std::vector<double> gains;  // of each member, ln(plain / member); [0] is 0
  double weight = 1;
};

struct ChoiceTreeSettings {
  std::size_t depth = 3;           // splits from the root to a leaf, at most
  std::size_t least_programs = 8;  // in a leaf
  std::size_t least_families = 3;  // in a leaf
  double least_gained = 2e-4;      // by a split, of the mean over all samples
};

// Every family has weight 1, shared by its programs.
void weigh_by_family(std::vector<ChoiceSample>& samples);

// The samples must have at least one member each, equally many.
std::vector<ChoiceNode> grow_tree(const std::vector<ChoiceSample>& samples,
                                  const ChoiceTreeSettings& settings);

// Weighted mean of the gains of what the tree picks.
double tree_gain(const std::vector<ChoiceNode>& nodes, const std::vector<ChoiceSample>& samples);

// The same with each family decided by a tree that has not seen it.
double held_out_gain(const std::vector<ChoiceSample>& samples, const ChoiceTreeSettings& settings);

}  // namespace hone
