#include "build_integration/cli/session_action.h"

#include <utility>

#include "common/pipelines/compiler_gym.h"

namespace hone {

Result<SessionAction> session_action(const ActionSpace& space, const std::string& text) {
  if (const std::string* const pipeline = space.find_pipeline(text)) {
    return SessionAction{*pipeline, ""};
  }
  if (!text.starts_with('-')) {
    return SessionAction{text, ""};
  }
  HONE_TRY(CompilerGymPipeline found, compiler_gym_pipeline(text));
  return SessionAction{std::move(found.pipeline), std::move(found.remark)};
}

}  // namespace hone
