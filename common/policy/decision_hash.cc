#include "common/policy/decision_hash.h"

#include <algorithm>

#include "common/base/hash.h"
#include "common/pipelines/forest.h"

namespace hone {

Result<std::string> decision_hash(const Decision& decision) {
  HONE_TRY(Forest forest, parse_pipeline(decision.pipeline));
  if (!decision.choice.empty()) {
    return to_hex(hash128(decision.choice));
  }
  if (decision.knobs.empty()) {
    return to_hex(pipeline_hash(forest));
  }
  std::vector<Knob> knobs = decision.knobs;
  std::ranges::sort(knobs, {}, &Knob::name);
  std::string text = print(canonical(std::move(forest)));
  for (const Knob& knob : knobs) {
    text += '\n';
    text += knob.name;
    text += '=';
    text += knob.value;
  }
  return to_hex(hash128(text));
}

}  // namespace hone
