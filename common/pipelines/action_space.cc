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

Result<ActionSpace> ActionSpace::create(int llvm_major) {
  if (!has_pass_table(llvm_major)) {
    return fail(ErrorCode::unsupported, "no action space for LLVM " + std::to_string(llvm_major) +
                                            ": known are 14, 15, 16 and 19");
  }
  std::vector<Action> actions;
  for (const PassEntry& entry : pass_table()) {
    if (entry.safety == PassSafety::searchable && entry.majors.holds(llvm_major)) {
      add_actions(entry, actions);
    }
  }
  std::ranges::sort(actions, {}, &Action::name);
  return ActionSpace(llvm_major, std::move(actions));
}

std::optional<std::size_t> ActionSpace::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(actions_, name, {}, &Action::name);
  if (found == actions_.end() || found->name != name) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - actions_.begin());
}

}  // namespace hone
