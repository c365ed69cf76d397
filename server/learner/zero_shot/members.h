// The members that a choice may be made of, as people write them, with what is known of each: a
// JSON document {"format": "hone-members/1", "members": [{"pipeline": "default<O3>", "knobs": {},
// "note": "how it was screened for run time"}, ...]}. The first must be the compiler's own
// pipeline. Plain values. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/choice/choice_model.h"

namespace hone {

struct CandidateMember {
  ChoiceMember member;
  std::string note;
};

// invalid_argument names what is wrong, a pipeline or knob outside of the allow-list for clang 19
// as well.
Result<std::vector<CandidateMember>> read_members(const std::filesystem::path& file);

}  // namespace hone
