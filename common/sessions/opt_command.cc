#include "common/sessions/opt_command.h"

#include <algorithm>
#include <optional>

#include "common/base/text.h"
#include "common/base/words.h"
#include "common/pipelines/compiler_gym.h"
#include "common/pipelines/forest.h"

namespace hone {
namespace {

constexpr std::string_view kPasses = "-passes=";
constexpr std::string_view kForm = "opt FLAGS input.bc -o output.bc";

Error bad(std::string_view word, std::string_view right) {
  return fail(ErrorCode::invalid_argument,
              "'" + std::string(word) + "' must be " + std::string(right));
}

// The flag of an action that is just this pipeline, and no substitute for what LLVM no longer has.
std::optional<std::string> flag_of(const std::string& pipeline) {
  for (const std::string_view remark : {"", "renamed"}) {
    for (const CompilerGymAction& action : compiler_gym_actions()) {
      if (action.remark != remark || action.pass.empty()) {
        continue;
      }
      const Result<CompilerGymPipeline> found = compiler_gym_pipeline(action.flag);
      if (found && found->pipeline == pipeline) {
        return "-" + std::string(action.flag);
      }
    }
  }
  return std::nullopt;
}

Result<void> add_passes(std::string_view text, OptCommand& command) {
  HONE_TRY(const Forest forest, parse_pipeline(text));
  for (const PipelineNode& node : forest.nodes) {
    command.pipelines.push_back(print(node));
  }
  return {};
}

Result<void> add_flag(std::string_view flag, OptCommand& command) {
  HONE_TRY(CompilerGymPipeline found, compiler_gym_pipeline(flag));
  if (!found.remark.empty()) {
    command.remarks.push_back(std::string(flag) + ": " + found.remark);
  }
  if (!found.pipeline.empty()) {
    command.pipelines.push_back(std::move(found.pipeline));
  }
  return {};
}

}  // namespace

Result<OptCommand> parse_opt_command(std::string_view text) {
  HONE_TRY(const std::vector<std::string> words, split_words(text));
  constexpr std::size_t kFixed = 4;  // opt, and three words at the end
  if (words.size() < kFixed) {
    return bad(text, kForm);
  }
  if (words[0] != "opt" && !words[0].ends_with("/opt")) {
    return bad(words[0], "opt");
  }
  const std::size_t flags_end = words.size() - (kFixed - 1);
  if (words[flags_end].starts_with('-') || words[flags_end + 1] != "-o") {
    return bad(words[flags_end] + " " + words[flags_end + 1] + " " + words[flags_end + 2],
               "input.bc -o output.bc at the end");
  }
  OptCommand command;
  for (std::size_t i = 1; i < flags_end; ++i) {
    const std::string& word = words[i];
    if (word.starts_with(kPasses)) {
      if (flags_end > 2) {
        return bad(word, "the only flag: opt runs flags or -passes=, not both");
      }
      HONE_CHECK(add_passes(std::string_view(word).substr(kPasses.size()), command));
    } else if (word.size() > 1 && word.starts_with('-')) {
      HONE_CHECK(add_flag(word, command));
    } else {
      return bad(word, "a flag, like -sroa");
    }
  }
  return command;
}

std::string opt_command(std::span<const std::string> pipelines) {
  std::string flags;
  for (const std::string& pipeline : pipelines) {
    const std::optional<std::string> flag = flag_of(pipeline);
    if (!flag) {
      const std::string all = join({pipelines.begin(), pipelines.end()}, ",");
      return "opt -passes='" + all + "' input.bc -o output.bc";
    }
    flags += (flags.empty() ? "" : " ") + *flag;
  }
  // Two blanks where there is no flag: CompilerGym's own spelling.
  return "opt " + flags + " input.bc -o output.bc";
}

}  // namespace hone
