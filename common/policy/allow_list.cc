#include "common/policy/allow_list.h"

#include <set>

#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/gcc_option_table.h"
#include "common/pipelines/knob_table.h"

namespace hone {
namespace {

bool has_tables(std::string_view family, int major) {
  return (family == "clang" && has_pass_table(major)) ||
         (family == "gcc" && has_gcc_option_table(major));
}

Result<void> check_compiler_pipeline(const std::string& pipeline, std::string_view family,
                                     int major) {
  if (family == "gcc") {
    return fail(ErrorCode::invalid_argument,
                "pipeline \"" + pipeline +
                    "\": GCC keeps its own (\"default<O3>\"), its options are set by knobs");
  }
  HONE_TRY(const Forest forest, parse_pipeline(pipeline));
  return check_pipeline(forest, major);
}

}  // namespace

Result<void> check_decision(const Decision& decision, std::string_view compiler_family,
                            int compiler_major) {
  if (is_plain(decision)) {
    return {};
  }
  if (!has_tables(compiler_family, compiler_major)) {
    return fail(ErrorCode::unsupported, "no passes or knobs are allowed for " +
                                            std::string(compiler_family) + " " +
                                            std::to_string(compiler_major));
  }
  if (!is_default(decision.pipeline)) {
    HONE_CHECK(check_compiler_pipeline(decision.pipeline, compiler_family, compiler_major));
  }
  std::set<std::string_view> seen;
  for (const Knob& knob : decision.knobs) {
    if (!seen.insert(knob.name).second) {
      return fail(ErrorCode::invalid_argument, "knob " + knob.name + " is set twice");
    }
    HONE_CHECK(compiler_family == "gcc" ? check_gcc_option(knob.name, knob.value)
                                        : check_knob(knob.name, knob.value, compiler_major));
  }
  return {};
}

}  // namespace hone
