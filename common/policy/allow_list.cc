#include "common/policy/allow_list.h"

#include <set>

#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/gcc_option_table.h"
#include "common/pipelines/knob_table.h"

namespace hone {
namespace {

// Whose plugin makes choices.
constexpr int kChoiceMajor = 19;

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

// A pipeline and knobs.
Result<void> check_setting(const Decision& decision, std::string_view compiler_family,
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

Result<void> check_choice(const Decision& decision, std::string_view compiler_family,
                          int compiler_major) {
  if (compiler_family != "clang" || compiler_major != kChoiceMajor) {
    return fail(ErrorCode::unsupported, "a choice is made by clang 19 alone, not by " +
                                            std::string(compiler_family) + " " +
                                            std::to_string(compiler_major));
  }
  if (!decision.knobs.empty() || !is_default(decision.pipeline)) {
    return fail(ErrorCode::invalid_argument,
                "a rule with a choice has the pipeline default<...> and no knobs");
  }
  ChoiceModel model;
  if (const std::string wrong = parse_choice(decision.choice, model); !wrong.empty()) {
    return fail(ErrorCode::invalid_argument, "choice: " + wrong);
  }
  if (model.compiler_major != compiler_major) {
    return fail(ErrorCode::invalid_argument, "choice: it is for clang " +
                                                 std::to_string(model.compiler_major) + ", not " +
                                                 std::to_string(compiler_major));
  }
  for (std::size_t i = 0; i < model.members.size(); ++i) {
    const Result<void> allowed =
        check_setting(decision_of(model.members[i]), compiler_family, compiler_major);
    if (!allowed) {
      return fail(allowed.error().code,
                  "choice: member " + std::to_string(i) + ": " + allowed.error().message);
    }
  }
  return {};
}

}  // namespace

Decision decision_of(const ChoiceMember& member) {
  Decision decision{member.pipeline, {}};
  for (const ChoiceKnob& knob : member.knobs) {
    decision.knobs.push_back({knob.name, knob.value});
  }
  return decision;
}

Result<void> check_decision(const Decision& decision, std::string_view compiler_family,
                            int compiler_major) {
  return decision.choice.empty() ? check_setting(decision, compiler_family, compiler_major)
                                 : check_choice(decision, compiler_family, compiler_major);
}

}  // namespace hone
