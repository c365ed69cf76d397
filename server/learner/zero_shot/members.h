// The members that a choice may be made of, as people write them, with what is known of each: a
// JSON document {"format": "hone-members/1", "members": [{"pipeline": "default<O3>", "knobs": {},
// "instructions": 0.0009, "note": "how it was screened for run time"}, ...]}. The first must be the
// compiler's own pipeline at the level that they are for, default<O3> or another. Plain values.
// Thread safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/choice/choice_model.h"

namespace hone {

struct CandidateMember {
  ChoiceMember member;
  std::string note{};
  // Of the benchmarks that it was screened on, the largest change of instructions (ln, above 0 is
  // more); nothing: it was not screened by itself.
  std::optional<double> instructions{};
};

// invalid_argument names what is wrong, a pipeline or knob outside of the allow-list for clang 19,
// or a first member of another level, as well.
Result<std::vector<CandidateMember>> read_members(const std::filesystem::path& file,
                                                  std::string_view level = "O3");

}  // namespace hone
