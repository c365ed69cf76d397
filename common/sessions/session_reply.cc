#include "common/sessions/session_reply.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "common/base/base64.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

struct Spelling {
  StepOutcome outcome;
  std::string_view text;
};
constexpr auto kSpellings = std::to_array<Spelling>({
    {StepOutcome::ok, "ok"},
    {StepOutcome::crashed, "crashed"},
    {StepOutcome::timed_out, "timed_out"},
    {StepOutcome::limit_exceeded, "limit_exceeded"},
    {StepOutcome::broken_module, "broken_module"},
});

constexpr std::string_view kBitcode = "Bitcode";
constexpr std::size_t kMaxReplyText = std::size_t{4} << 30U;

void write_observation(JsonWriter& writer, const std::string& space,
                       const Observation& observation) {
  if (const auto* const text = std::get_if<std::string>(&observation)) {
    space == kBitcode ? writer.text(to_base64(*text)) : writer.text(*text);
  } else if (const auto* const number = std::get_if<std::int64_t>(&observation)) {
    writer.integer(*number);
  } else if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&observation)) {
    writer.begin_array();
    for (const std::int64_t value : *integers) {
      writer.integer(value);
    }
    writer.end_array();
  } else {
    writer.begin_array();
    for (const double value : std::get<std::vector<double>>(observation)) {
      writer.number(value);
    }
    writer.end_array();
  }
}

std::optional<Observation> numbers_of(const Json& list) {
  const bool integers =
      std::ranges::all_of(list, [](const Json& item) { return item.is_number_integer(); });
  if (integers) {
    return Observation(list.get<std::vector<std::int64_t>>());
  }
  const bool numbers = std::ranges::all_of(list, [](const Json& item) { return item.is_number(); });
  return numbers ? std::optional(Observation(list.get<std::vector<double>>())) : std::nullopt;
}

std::optional<Observation> observation_of(const std::string& space, const Json& value) {
  if (value.is_number_integer()) {
    return Observation(value.get<std::int64_t>());
  }
  if (value.is_array()) {
    return numbers_of(value);
  }
  if (!value.is_string()) {
    return std::nullopt;
  }
  if (space != kBitcode) {
    return Observation(value.get<std::string>());
  }
  Result<std::string> bytes = from_base64(value.get<std::string>());
  return bytes ? std::optional(Observation(*std::move(bytes))) : std::nullopt;
}

void read_observations(ObjectReader& reader, SessionReply& reply) {
  const Json* const all = reader.find("observations");
  if (all == nullptr || !all->is_object()) {
    return;
  }
  for (const auto& [space, value] : all->items()) {
    if (std::optional<Observation> observation = observation_of(space, value)) {
      reply.observations.emplace(space, *std::move(observation));
    } else {
      reader.refuse("observations", "\"" + space + "\" has no value of a known kind");
    }
  }
}

void read_rewards(ObjectReader& reader, SessionReply& reply) {
  const Json* const all = reader.find("rewards");
  if (all == nullptr || !all->is_object()) {
    return;
  }
  for (const auto& [space, value] : all->items()) {
    if (value.is_number()) {
      reply.rewards.emplace(space, value.get<double>());
    } else {
      reader.refuse("rewards", "\"" + space + "\" is no number");
    }
  }
}

}  // namespace

std::string_view to_string(StepOutcome outcome) {
  return std::ranges::find(kSpellings, outcome, &Spelling::outcome)->text;
}

std::optional<StepOutcome> parse_step_outcome(std::string_view text) {
  const auto found = std::ranges::find(kSpellings, text, &Spelling::text);
  return found == kSpellings.end() ? std::nullopt : std::optional(found->outcome);
}

void read_reply_body(ObjectReader& reader, SessionReply& reply) {
  read_observations(reader, reply);
  read_rewards(reader, reply);
}

void write_head(JsonWriter& writer, const ReplyHead& head, const HeadForm& form) {
  if (head.error) {
    writer.key("error").begin_object();
    writer.key("code").text(to_string(head.error->code));
    writer.key("message").text(head.error->describe()).end_object();
  } else {
    writer.key("applied").integer(head.applied).key("changed").truth(head.changed);
  }
  if (!form.episode.empty()) {
    writer.key("episode").text(form.episode);
  }
  if (form.id) {
    writer.key("id").integer(*form.id);
  }
  if (!head.error) {
    writer.key("length").integer(head.length);
    if (!head.masked.empty()) {
      writer.key("masked").begin_object();
      for (const auto& [pipeline, why] : head.masked) {
        writer.key(pipeline).text(why);
      }
      writer.end_object();
    }
    writer.key("outcome").text(to_string(head.outcome));
    if (head.outcome != StepOutcome::ok) {
      writer.key("pipeline").text(head.pipeline).key("reason").text(head.reason);
    }
  }
  if (!form.session.empty()) {
    writer.key("session").text(form.session);
  }
  if (form.version) {
    writer.key("version").integer(*form.version);
  }
}

void write_body(JsonWriter& writer, const SessionReply& reply) {
  if (!reply.observations.empty()) {
    writer.key("observations").begin_object();
    for (const auto& [space, observation] : reply.observations) {
      write_observation(writer.key(space), space, observation);
    }
    writer.end_object();
  }
  if (!reply.rewards.empty()) {
    writer.key("rewards").begin_object();
    for (const auto& [space, value] : reply.rewards) {
      writer.key(space).number(value);
    }
    writer.end_object();
  }
}

Json to_json(const SessionReply& reply) {
  JsonWriter writer;
  writer.begin_object();
  write_head(writer, reply, {.version = {}, .id = reply.id, .session = {}});
  if (!reply.error) {
    write_body(writer, reply);
  }
  writer.end_object();
  return *parse_json(writer.take(), {.bytes = kMaxReplyText});
}

}  // namespace hone
