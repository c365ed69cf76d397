// The name of a decision in logs and stores: equal for decisions that do the same.
// Thread safe.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/policy/policy.h"

namespace hone {

// 32 hexadecimal digits. Without knobs: the pipeline's own hash (pipeline_hash in
// common/pipelines/forest.h). With knobs: XXH3-128 of the canonical pipeline text and, sorted by
// name, a line "name=value" each. Of a choice: XXH3-128 of its text. invalid_argument for a
// pipeline that is no pipeline text.
Result<std::string> decision_hash(const Decision& decision);

}  // namespace hone
