#include "common/protocol/canary_lesson.h"

#include <algorithm>

#include "common/protocol/fields.h"
#include "common/protocol/rules.h"

namespace hone {
namespace {

constexpr std::size_t kMostCanaries = 10'000;
constexpr std::size_t kMostIndicators = 64;

constexpr double kMostReward = 1e6;

// Estimate and interval, which is all that a lesson needs. A bootstrap's interval may leave its
// estimate out by a hair.
std::optional<RewardEstimate> optional_reward(ObjectReader& reader) {
  std::optional<RewardEstimate> reward;
  reader.optional_object("reward", [&](ObjectReader& nested) {
    reward.emplace();
    reward->value = nested.number("value", -kMostReward, kMostReward);
    reward->low = std::min(nested.number("low", -kMostReward, kMostReward), reward->value);
    reward->high = std::max(nested.number("high", -kMostReward, kMostReward), reward->value);
  });
  return reward;
}

void read_policy(ObjectReader& reader, LessonPolicy& policy) {
  policy.candidate = text_or_empty(reader, "candidate", 64);
  policy.rules = read_rules(reader, "rules");
  reader.optional_object("staging", [&](ObjectReader& staging) {
    StagedReward staged;
    staged.baseline = staging.optional_one_of("baseline", parse_baseline_kind, kBaselineKindChoices)
                          .value_or(BaselineKind::o3);
    if (auto reward = optional_reward(staging)) {
      staged.reward = *reward;
      policy.staging = staged;
    }
  });
}

void read_line(ObjectReader& line, CanaryLesson& lesson) {
  lesson.tried.version = line.integer("policy_version", 1, kMaxVersion);
  read_policy(line, lesson.tried);
  line.optional_object("known_good", [&](ObjectReader& nested) {
    lesson.known_good.emplace();
    lesson.known_good->version = nested.integer("version", 1, kMaxVersion);
    read_policy(nested, *lesson.known_good);
  });
  lesson.production = optional_reward(line);
  line.each("slis", kMostIndicators, [&](ObjectReader& sli) {
    const bool worse = text_or_empty(sli, "finding", 64) == "worse";
    const std::optional<RewardEstimate> reward = optional_reward(sli);
    if (worse && reward && lesson.withdrawn() &&
        (!lesson.production || reward->value < lesson.production->value)) {
      lesson.production = reward;
    }
  });
}

void read_canary(ObjectReader& reader, std::vector<CanaryLesson>& lessons) {
  CanaryLesson lesson;
  lesson.canary = reader.text("id", {.max_size = 64});
  reader.object("status", [&](ObjectReader& status) {
    lesson.state = status.one_of("state", parse_canary_state, kCanaryStateChoices);
    // A newer honed may know other causes: then it is not known whose fault it was.
    lesson.cause =
        parse_canary_cause(text_or_empty(status, "cause", 64)).value_or(CanaryCause::none);
  });
  const std::optional<std::int64_t> in_force =
      reader.optional_integer("policy_in_force", 1, kMaxVersion);
  if (!reader.has("experience")) {
    return;
  }
  reader.object("experience", [&](ObjectReader& line) { read_line(line, lesson); });
  lesson.in_force = lesson.state == CanaryState::promoted && in_force == lesson.tried.version;
  lessons.push_back(std::move(lesson));
}

std::vector<CanaryLesson> read_lessons(ObjectReader& reader) {
  std::vector<CanaryLesson> lessons;
  reader.each("items", kMostCanaries, [&](ObjectReader& item) { read_canary(item, lessons); });
  return lessons;
}

}  // namespace

Result<std::vector<CanaryLesson>> parse_canary_lessons(const Json& items) {
  return parse_document(Json{{"items", items}}, UnknownKeys::ignore, "canaries", read_lessons);
}

}  // namespace hone
