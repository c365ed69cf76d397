#include "common/protocol/self_check.h"

#include "common/protocol/fields.h"

namespace hone {

Json to_json(const SelfCheck& check) {
  return Json{{"verdict", spelling(check.verdict)},
              {"reward", to_json(check.reward)},
              {"baseline_value", check.baseline_value}};
}

SelfCheck read_self_check(ObjectReader& reader) {
  SelfCheck check;
  check.verdict = reader.one_of("verdict", parse_verdict, kVerdictChoices);
  reader.object("reward", [&check](ObjectReader& reward) { check.reward = read_reward(reward); });
  check.baseline_value = reader.number("baseline_value", 1 / kHuge, kHuge);
  return check;
}

}  // namespace hone
