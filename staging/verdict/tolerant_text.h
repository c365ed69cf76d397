// Two texts that may differ in their numbers, as far as a tolerance allows, and in nothing else.
//
// A text is taken apart into lines, and a line into numbers and what lies between them. Numbers are
// decimal: 12, -0.5, .5, 1e-9, also nan, inf and infinity as words of their own; one that follows a
// letter, a digit, '_' or '.' is part of a word (lz4, 1.2.3) and, like all else, must be equal
// letter by letter. What follows a number need not be blank: in 12ms the number is 12. Two numbers
// agree if they differ by at most the larger of the absolute bound and the relative one times the
// number that is farther from zero (so in either direction alike); nan agrees with nan, an infinity
// with the same one, 0 with -0. Blanks and tabs before a number or at a line's end may differ,
// since columns move with the width of their numbers; elsewhere they may differ in width only.
//
// Whole numbers are numbers, too: a tolerance that lets 1.0000001 pass for 1 lets a count of
// 10000001 pass for 10000000. Pure, thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "common/protocol/target_spec.h"

namespace hone {

// Where the first tokens that do not agree begin; a text's size where it ends too early.
struct TextMismatch {
  std::size_t reference = 0;
  std::size_t made = 0;
  bool operator==(const TextMismatch&) const = default;
};

std::optional<TextMismatch> find_mismatch(std::string_view reference, std::string_view made,
                                          const Tolerance& tolerance);

}  // namespace hone
