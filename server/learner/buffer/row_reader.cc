// simdjson goes once over a line and makes nothing of it but what is asked for: with a document of
// its own for each row, reading took longer than the database and the network together.
#include "server/learner/buffer/row_reader.h"

#include <simdjson.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"

namespace hone {
namespace {

namespace json = simdjson::ondemand;
using Field = simdjson::simdjson_result<json::value>;

// Each gives false for a value of another kind. null is an absent value.

bool take(Field& field, std::string& text) {
  text.clear();
  bool absent = false;
  if (field.is_null().get(absent) == simdjson::SUCCESS && absent) {
    return true;
  }
  std::string_view view;
  if (field.get_string().get(view) != simdjson::SUCCESS) {
    return false;
  }
  text.assign(view);
  return true;
}

bool take(Field& field, bool& truth) {
  return field.get_bool().get(truth) == simdjson::SUCCESS;
}

bool take(Field& field, std::int64_t& number) {
  return field.get_int64().get(number) == simdjson::SUCCESS;
}

bool take(Field& field, double& number) {
  return field.get_double().get(number) == simdjson::SUCCESS;
}

template <class T>
bool take(Field& field, std::optional<T>& value) {
  value.reset();
  bool absent = false;
  if (field.is_null().get(absent) == simdjson::SUCCESS && absent) {
    return true;
  }
  T given{};
  if (!take(field, given)) {
    return false;
  }
  value = given;
  return true;
}

// As it stands, null as nothing.
bool take_document(Field& field, std::string& text) {
  std::string_view view;
  if (simdjson::to_json_string(field).get(view) != simdjson::SUCCESS) {
    return false;
  }
  text.assign(view == "null" ? std::string_view() : view);
  return true;
}

// Calls each(field) for the elements of an array; null has none.
template <class Each>
bool take_list(Field& field, const Each& each) {
  bool absent = false;
  if (field.is_null().get(absent) == simdjson::SUCCESS && absent) {
    return true;
  }
  json::array list;
  if (field.get_array().get(list) != simdjson::SUCCESS) {
    return false;
  }
  for (Field item : list) {
    if (!each(item)) {
      return false;
    }
  }
  return true;
}

// Calls each(key, field) for the members of an object; null has none.
template <class Each>
bool take_members(Field& field, const Each& each) {
  bool absent = false;
  if (field.is_null().get(absent) == simdjson::SUCCESS && absent) {
    return true;
  }
  json::object object;
  if (field.get_object().get(object) != simdjson::SUCCESS) {
    return false;
  }
  for (auto member : object) {
    std::string_view key;
    if (member.unescaped_key().get(key) != simdjson::SUCCESS) {
      return false;
    }
    Field value = member.value();
    if (!each(key, value)) {
      return false;
    }
  }
  return true;
}

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

template <class Row, class Value>
struct Member {
  std::string_view key;
  Value Row::* member;
};

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

// What a line does not have is absent, whatever the line before had.
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

Error refused(std::string_view line, std::string_view what) {
  return fail(ErrorCode::invalid_argument, fmt::format("the line \"{}{}\" {}", line.substr(0, 60),
                                                       line.size() > 60 ? "..." : "", what));
}

template <class Row>
Result<void> read_row(json::parser& parser, std::string_view line, std::size_t capacity, Row& row) {
  json::document document;
  const simdjson::padded_string_view padded(line.data(), line.size(), capacity);
  reset(row);
  json::object object;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS) {
    return refused(line, "is no JSON object");
  }
  for (auto member : object) {
    std::string_view key;
    if (member.unescaped_key().get(key) != simdjson::SUCCESS) {
      return refused(line, "is no JSON object");
    }
    Field value = member.value();
    if (!take_field(key, value, row)) {
      return refused(line, fmt::format("has another value of \"{}\" than it can have", key));
    }
  }
  const char* behind = nullptr;
  if (document.current_location().get(behind) == simdjson::SUCCESS) {
    return refused(line, "goes on behind its JSON object");
  }
  return {};
}

}  // namespace

struct RowReader::Parser {
  json::parser parser;
};

RowReader::RowReader() : parser_(std::make_unique<Parser>()) {}
RowReader::~RowReader() = default;

void RowReader::begin(std::string_view lines) {
  // simdjson reads past the end of what it parses, up to so many bytes.
  lines_.reserve(lines.size() + simdjson::SIMDJSON_PADDING);
  lines_.assign(lines);
  rest_ = lines_;
}

bool RowReader::next() {
  if (rest_.empty()) {
    return false;
  }
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  return true;
}

Result<void> RowReader::read(Experience& row) {
  const auto behind = static_cast<std::size_t>(line_.data() - lines_.data());
  return read_row(parser_->parser, line_, lines_.capacity() - behind, row);
}

Result<void> RowReader::read(SessionStep& row) {
  const auto behind = static_cast<std::size_t>(line_.data() - lines_.data());
  return read_row(parser_->parser, line_, lines_.capacity() - behind, row);
}

Result<std::vector<double>> feature_vector(std::string_view features, const std::string& space) {
  std::vector<double> numbers;
  if (features.empty()) {
    return numbers;
  }
  HONE_TRY(const Json document, parse_json(features));
  if (!document.is_object()) {
    return refused(features, "is no JSON object");
  }
  const auto found = document.find(space);
  if (found == document.end()) {
    return numbers;
  }
  if (found->is_number()) {
    numbers.push_back(found->get<double>());
  } else if (found->is_array()) {
    for (const Json& number : *found) {
      if (!number.is_number()) {
        return std::vector<double>();  // an observation that is no vector
      }
      numbers.push_back(number.get<double>());
    }
  }
  return numbers;
}

}  // namespace hone
