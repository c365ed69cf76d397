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

// By their names; the message says what a code of a newer version means.
ErrorCode error_code_of(std::string_view name) {
  constexpr auto kCodes = std::to_array(
      {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::conflict, ErrorCode::too_large,
       ErrorCode::unsupported, ErrorCode::timed_out, ErrorCode::unavailable, ErrorCode::io_failed});
  const auto found = std::ranges::find(
      kCodes, name, [](ErrorCode code) -> std::string_view { return to_string(code); });
  return found == kCodes.end() ? ErrorCode::internal : *found;
}

constexpr std::int64_t kMost = (std::int64_t{1} << 53U) - 1;
constexpr std::size_t kMaxReasonText = 16384;
constexpr std::string_view kBitcode = "Bitcode";

Json observation_to_json(const std::string& space, const Observation& observation) {
  if (const auto* const text = std::get_if<std::string>(&observation)) {
    return space == kBitcode ? Json(to_base64(*text)) : Json(*text);
  }
  return std::visit([](const auto& value) { return Json(value); }, observation);
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

void read_masked(ObjectReader& reader, ReplyHead& reply) {
  const Json* const all = reader.find("masked");
  if (all == nullptr || !all->is_object()) {
    return;
  }
  for (const auto& [pipeline, why] : all->items()) {
    if (why.is_string()) {
      reply.masked.emplace(pipeline, why.get<std::string>());
    } else {
      reader.refuse("masked", "\"" + pipeline + "\" has no reason");
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

ReplyHead read_reply_head(ObjectReader& reader) {
  ReplyHead head;
  head.id = reader.integer("id", 0, kMost);
  reader.optional_object("error", [&head](ObjectReader& error) {
    const std::string code = error.text("code");
    head.error = fail(error_code_of(code), error.text("message", {.max_size = kMaxReasonText}));
  });
  if (head.error) {
    return head;
  }
  head.outcome = reader.one_of("outcome", parse_step_outcome,
                               "ok, crashed, timed_out, limit_exceeded, broken_module");
  const TextLimits any = {.min_size = 0, .max_size = kMaxReasonText};
  head.pipeline =
      reader.optional_text("pipeline", {.min_size = 0, .max_size = 64U << 10U}).value_or("");
  head.reason = reader.optional_text("reason", any).value_or("");
  head.applied = reader.integer("applied", 0, kMost);
  head.changed = reader.truth("changed");
  head.length = reader.integer("length", 0, kMost);
  read_masked(reader, head);
  return head;
}

void read_reply_body(ObjectReader& reader, SessionReply& reply) {
  read_observations(reader, reply);
  read_rewards(reader, reply);
}

Json head_to_json(const ReplyHead& head) {
  Json document = {{"id", head.id}};
  if (head.error) {
    document["error"] = {{"code", std::string(to_string(head.error->code))},
                         {"message", head.error->describe()}};
    return document;
  }
  document["outcome"] = std::string(to_string(head.outcome));
  if (head.outcome != StepOutcome::ok) {
    document["pipeline"] = head.pipeline;
    document["reason"] = head.reason;
  }
  document["applied"] = head.applied;
  document["changed"] = head.changed;
  document["length"] = head.length;
  for (const auto& [pipeline, why] : head.masked) {
    document["masked"][pipeline] = why;
  }
  return document;
}

Json body_to_json(const SessionReply& reply) {
  Json document = Json::object();
  for (const auto& [space, observation] : reply.observations) {
    document["observations"][space] = observation_to_json(space, observation);
  }
  for (const auto& [space, value] : reply.rewards) {
    document["rewards"][space] = value;
  }
  return document;
}

Json to_json(const SessionReply& reply) {
  Json document = head_to_json(reply);
  if (!reply.error) {
    document.update(body_to_json(reply));
  }
  return document;
}

}  // namespace hone
