#include "common/pipelines/action_space.h"

#include <algorithm>

#include "common/base/text.h"

namespace hone {
namespace {

std::string with_parameters(std::string_view name, std::string_view parameters) {
  std::string text(name);
  return parameters.empty() ? text : text + "<" + std::string(parameters) + ">";
}

void add_actions(const PassEntry& entry, std::vector<Action>& actions) {
  std::vector<std::string_view> texts(entry.texts.begin(), entry.texts.end());
  if (texts.empty()) {
    texts.push_back(entry.required_option);
  }
  for (const std::string_view text : texts) {
    std::string name = with_parameters(entry.name, text);
    std::string pipeline = in_adaptors(entry.level, name);
    actions.push_back({std::move(name), std::move(pipeline), entry.level});
  }
}

const Action* find_in(const std::vector<Action>& actions, std::string_view name) {
  const auto found = std::ranges::lower_bound(actions, name, {}, &Action::name);
  return found == actions.end() || found->name != name ? nullptr : &*found;
}

}  // namespace

std::string in_adaptors(PassLevel level, std::string_view pass) {
  const std::string text(pass);
  switch (level) {
    case PassLevel::module:
      return text;
    case PassLevel::cgscc:
      return "cgscc(" + text + ")";
    case PassLevel::function:
      return "function(" + text + ")";
    case PassLevel::loop:
      return "function(loop(" + text + "))";
    case PassLevel::loop_mssa:
      return "function(loop-mssa(" + text + "))";
  }
  return text;
}

Result<std::string> pipeline_of(const PassEntry& pass, const std::string& parameters) {
  HONE_CHECK(check_parameters(
      pass, parameters.empty() ? std::nullopt : std::optional<std::string>(parameters)));
  return in_adaptors(pass.level, with_parameters(pass.name, parameters));
}

ActionSpace::ActionSpace(int llvm_major) : llvm_major_(llvm_major) {
  for (const PassEntry& entry : pass_table()) {
    if (entry.safety != PassSafety::searchable || !entry.majors.holds(llvm_major)) {
      continue;
    }
    if (entry.whole_pipeline) {
      add_actions(entry, whole_pipelines_);
    } else {
      add_actions(entry, actions_);
      passes_.push_back(&entry);
    }
  }
  for (const char* const level : {"O1", "O2", "O3", "Os", "Oz"}) {
    const std::string text = with_parameters("default", level);
    whole_pipelines_.push_back({text, text, PassLevel::module});
  }
  std::ranges::sort(actions_, {}, &Action::name);
  std::ranges::sort(whole_pipelines_, {}, &Action::name);
}

Result<ActionSpace> ActionSpace::create(int llvm_major) {
  if (!has_pass_table(llvm_major)) {
    return fail(ErrorCode::unsupported, "no action space for LLVM " + std::to_string(llvm_major) +
                                            ": known are 14, 15, 16 and 19");
  }
  return ActionSpace(llvm_major);
}

std::optional<std::size_t> ActionSpace::find(std::string_view name) const {
  const Action* const found = find_in(actions_, name);
  return found == nullptr
             ? std::nullopt
             : std::optional<std::size_t>(static_cast<std::size_t>(found - actions_.data()));
}

const std::string* ActionSpace::find_pipeline(std::string_view name) const {
  const Action* found = find_in(actions_, name);
  if (found == nullptr) {
    found = find_in(whole_pipelines_, name);
  }
  return found == nullptr ? nullptr : &found->pipeline;
}

}  // namespace hone
