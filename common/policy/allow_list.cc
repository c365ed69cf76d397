#include "common/policy/allow_list.h"

#include <set>

#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/knob_table.h"

namespace hone {

Result<void> check_decision(const Decision& decision, std::string_view compiler_family,
                            int compiler_major) {
  const bool own_pipeline = is_default(decision.pipeline);
  if (own_pipeline && decision.knobs.empty()) {
    return {};
  }
  if (compiler_family != "clang" || !has_pass_table(compiler_major)) {
    return fail(ErrorCode::unsupported, "no passes or knobs are allowed for " +
                                            std::string(compiler_family) + " " +
                                            std::to_string(compiler_major));
  }
  if (!own_pipeline) {
    HONE_TRY(const Forest forest, parse_pipeline(decision.pipeline));
    HONE_CHECK(check_pipeline(forest, compiler_major));
  }
  std::set<std::string_view> seen;
  for (const Knob& knob : decision.knobs) {
    if (!seen.insert(knob.name).second) {
      return fail(ErrorCode::invalid_argument, "knob " + knob.name + " is set twice");
    }
    HONE_CHECK(check_knob(knob.name, knob.value, compiler_major));
  }
  return {};
}

}  // namespace hone
