#include "server/learner/buffer/row_fields.h"

namespace hone {
namespace {

constexpr Member<SessionStep, std::string> kStepTexts[] = {
    {"cursor", &SessionStep::cursor},   {"kind", &SessionStep::kind},
    {"episode", &SessionStep::episode}, {"program", &SessionStep::program},
    {"start", &SessionStep::start},     {"compiler", &SessionStep::compiler},
    {"state", &SessionStep::state},     {"next_state", &SessionStep::next_state},
    {"outcome", &SessionStep::outcome}, {"reason", &SessionStep::reason},
    {"at", &SessionStep::at},           {"host", &SessionStep::host}};
constexpr Member<SessionStep, std::int64_t> kStepNumbers[] = {{"step", &SessionStep::step},
                                                              {"applied", &SessionStep::applied},
                                                              {"length", &SessionStep::length},
                                                              {"entries", &SessionStep::entries}};

}  // namespace

bool take_field(std::string_view key, Field& field, SessionStep& row) {
  for (const auto& text : kStepTexts) {
    if (key == text.key) {
      return take(field, row.*text.member);
    }
  }
  for (const auto& number : kStepNumbers) {
    if (key == number.key) {
      return take(field, row.*number.member);
    }
  }
  if (key == "changed") {
    return take(field, row.changed);
  }
  if (key == "features") {
    return take_document(field, row.features);
  }
  if (key == "pipelines") {
    return take_list(field, [&](Field& item) { return take(item, row.pipelines.emplace_back()); });
  }
  if (key == "log_propensities") {
    return take_list(field,
                     [&](Field& item) { return take(item, row.log_propensities.emplace_back()); });
  }
  if (key == "rewards") {
    return take_members(field, [&](std::string_view name, Field& value) {
      return take(value, row.rewards.emplace_back(std::string(name), 0).second);
    });
  }
  return key != "machine" || take_members(field, [&](std::string_view name, Field& value) {
           return name != "host" || take(value, row.host);
         });
}

void reset(SessionStep& row) {
  for (const auto& text : kStepTexts) {
    (row.*text.member).clear();
  }
  for (const auto& number : kStepNumbers) {
    row.*number.member = 0;
  }
  row.features.clear();
  row.pipelines.clear();
  row.changed = false;
  row.log_propensities.clear();
  row.rewards.clear();
}

}  // namespace hone
