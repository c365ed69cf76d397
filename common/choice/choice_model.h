// A choice: a few decisions for a compile, and a small tree that picks one of them by what the
// module looks like. A policy's rule may hold one instead of a single pipeline, for products that
// nobody tuned; the pass plugin makes the choice inside the compile.
//
// Its text stands in the policy and, whole, on the compiler's command line: there is no file that
// could be missing or another one, and an object cache sees the model itself. Parts are divided by
// '|', which stands in no pipeline:
//
//   choice 1|clang 19|features 1
//   |member default<O3>                           the first: the compiler's own pipeline
//   |member default<O3>,function(gvn)|knob unroll-runtime false
//   |split 126 4096 1 2|leaf 0|leaf 1             node 0, 1, 2
//
// A split goes on at its third number where the feature (choice_features.h) is less than the
// threshold, else at its fourth; both lie behind it, so that every walk ends. Reading is strict:
// what is not exactly of this form is refused. Nothing but the standard library, no exceptions.
// Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/choice/choice_features.h"

namespace hone {

struct ChoiceKnob {
  std::string name;
  std::string value;
  bool operator==(const ChoiceKnob&) const = default;
};

struct ChoiceMember {
  std::string pipeline;
  std::vector<ChoiceKnob> knobs;
  bool operator==(const ChoiceMember&) const = default;
};

struct ChoiceNode {
  bool is_leaf = true;
  std::uint32_t member = 0;    // of a leaf
  std::uint32_t feature = 0;   // of a split
  std::int64_t threshold = 0;  // of a split
  std::uint32_t less = 0;      // node, of a split
  std::uint32_t other = 0;     // node, of a split
  bool operator==(const ChoiceNode&) const = default;
};

struct ChoiceModel {
  int compiler_major = 19;
  std::vector<ChoiceMember> members;
  std::vector<ChoiceNode> nodes;
  bool operator==(const ChoiceModel&) const = default;
};

// One argument of a command has at most 128 KiB.
inline constexpr std::size_t kMaxChoiceBytes = std::size_t{64} << 10U;
inline constexpr std::size_t kMaxChoiceMembers = 64;
inline constexpr std::size_t kMaxChoiceKnobs = 32;  // of a member
inline constexpr std::size_t kMaxChoiceNodes = 1024;

// What is wrong with a text, "" if nothing is; then `model` is what it says.
std::string parse_choice(std::string_view text, ChoiceModel& model);
// The text, which parse_choice() takes for the same model.
std::string print_choice(const ChoiceModel& model);

// The member that the tree picks. The model must be one that parse_choice() gave.
std::uint32_t choose_member(const ChoiceModel& model, const ChoiceFeatures& features);

}  // namespace hone
