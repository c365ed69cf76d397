#include "server/learner/proposing/answer_items.h"

#include <string>

#include <nlohmann/json.hpp>

namespace hone {

Result<Json> items_of(const Json& answer, std::string_view what) {
  if (!answer.is_object() || !answer.contains("items") || !answer["items"].is_array()) {
    return fail(ErrorCode::invalid_argument,
                "honed's answer about " + std::string(what) + " holds no list \"items\"");
  }
  return answer["items"];
}

}  // namespace hone
