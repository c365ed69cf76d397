#include "server/learner/buffer/row_fields.h"

namespace hone {
namespace {

bool take_decision(std::string_view key, Field& field, ExperienceDecision& decision) {
  if (key == "source") {
    return take(field, decision.source);
  }
  if (key == "output") {
    return take(field, decision.output);
  }
  if (key == "state_id") {
    return take(field, decision.state_id);
  }
  if (key == "pipeline_hash") {
    return take(field, decision.pipeline_hash);
  }
  if (key == "tuned") {
    return take(field, decision.tuned);
  }
  if (key == "meant") {
    return take(field, decision.meant);
  }
  if (key == "reason") {
    return take(field, decision.reason);
  }
  return key != "log_propensity" || take(field, decision.log_propensity);
}

bool take_decisions(Field& field, std::vector<ExperienceDecision>& decisions) {
  std::size_t count = 0;
  const bool taken = take_list(field, [&](Field& item) {
    if (count == decisions.size()) {
      decisions.emplace_back();
    }
    ExperienceDecision& decision = decisions[count++];
    decision.log_propensity.reset();
    return take_members(item, [&](std::string_view key, Field& value) {
      return take_decision(key, value, decision);
    });
  });
  decisions.resize(count);
  return taken;
}

bool take_reward(Field& field, std::optional<RewardEstimate>& reward) {
  reward.reset();
  return take_members(field, [&](std::string_view key, Field& value) {
    if (!reward) {
      reward.emplace();
    }
    if (key == "value") {
      return take(value, reward->value);
    }
    if (key == "low") {
      return take(value, reward->low);
    }
    if (key == "high") {
      return take(value, reward->high);
    }
    if (key == "confidence") {
      return take(value, reward->confidence);
    }
    if (key == "pairs") {
      return take(value, reward->pairs);
    }
    if (key == "detectable_effect") {
      return take(value, reward->detectable_effect);
    }
    return key != "noise" || take(value, reward->noise);
  });
}

bool take_machine(std::string_view key, Field& field, Experience& row) {
  if (key == "host") {
    return take(field, row.host);
  }
  if (key == "cpu_model") {
    return take(field, row.cpu_model);
  }
  return key != "cpus" || take(field, row.cpus);
}

constexpr Member<Experience, std::string> kTexts[] = {
    {"cursor", &Experience::cursor},
    {"id", &Experience::id},
    {"source", &Experience::source},
    {"target", &Experience::target},
    {"job", &Experience::job},
    {"campaign", &Experience::campaign},
    {"candidate_set", &Experience::candidate_set},
    {"candidate", &Experience::candidate},
    {"stage", &Experience::stage},
    {"baseline", &Experience::baseline},
    {"outcome", &Experience::outcome},
    {"reason", &Experience::reason},
    {"verdict", &Experience::verdict},
    {"reused_attempt", &Experience::reused_attempt},
    {"compiler", &Experience::compiler},
    {"created_at", &Experience::created_at}};

}  // namespace

bool take_field(std::string_view key, Field& field, Experience& row) {
  for (const auto& text : kTexts) {
    if (key == text.key) {
      return take(field, row.*text.member);
    }
  }
  if (key == "target_version") {
    return take(field, row.target_version);
  }
  if (key == "candidate_index") {
    return take(field, row.candidate_index);
  }
  if (key == "log_propensity") {
    return take(field, row.log_propensity);
  }
  if (key == "reward") {
    return take_reward(field, row.reward);
  }
  if (key == "rules") {
    return take_document(field, row.rules);
  }
  if (key == "decisions") {
    return take_decisions(field, row.decisions);
  }
  return key != "machine" || take_members(field, [&](std::string_view name, Field& value) {
           return take_machine(name, value, row);
         });
}

void reset(Experience& row) {
  for (const auto& text : kTexts) {
    (row.*text.member).clear();
  }
  row.target_version = 0;
  row.candidate_index.reset();
  row.log_propensity.reset();
  row.reward.reset();
  row.rules.clear();
  row.decisions.clear();
  row.host.clear();
  row.cpu_model.clear();
  row.cpus = 0;
}

}  // namespace hone
