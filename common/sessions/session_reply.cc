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

void read_masked(ObjectReader& reader, SessionReply& reply) {
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

SessionReply read_session_reply(ObjectReader& reader) {
  SessionReply reply;
  reply.id = reader.integer("id", 0, kMost);
  reader.optional_object("error", [&reply](ObjectReader& error) {
    const std::string code = error.text("code");
    reply.error = fail(error_code_of(code), error.text("message", {.max_size = kMaxReasonText}));
  });
  if (reply.error) {
    return reply;
  }
  reply.outcome = reader.one_of("outcome", parse_step_outcome,
                                "ok, crashed, timed_out, limit_exceeded, broken_module");
  const TextLimits any = {.min_size = 0, .max_size = kMaxReasonText};
  reply.pipeline =
      reader.optional_text("pipeline", {.min_size = 0, .max_size = 64U << 10U}).value_or("");
  reply.reason = reader.optional_text("reason", any).value_or("");
  reply.applied = reader.integer("applied", 0, kMost);
  reply.changed = reader.truth("changed");
  reply.length = reader.integer("length", 0, kMost);
  read_observations(reader, reply);
  read_rewards(reader, reply);
  read_masked(reader, reply);
  return reply;
}

}  // namespace

std::string_view to_string(StepOutcome outcome) {
  return std::ranges::find(kSpellings, outcome, &Spelling::outcome)->text;
}

std::optional<StepOutcome> parse_step_outcome(std::string_view text) {
  const auto found = std::ranges::find(kSpellings, text, &Spelling::text);
  return found == kSpellings.end() ? std::nullopt : std::optional(found->outcome);
}

Json to_json(const SessionReply& reply) {
  Json document = {{"id", reply.id}};
  if (reply.error) {
    document["error"] = {{"code", std::string(to_string(reply.error->code))},
                         {"message", reply.error->describe()}};
    return document;
  }
  document["outcome"] = std::string(to_string(reply.outcome));
  if (reply.outcome != StepOutcome::ok) {
    document["pipeline"] = reply.pipeline;
    document["reason"] = reply.reason;
  }
  document["applied"] = reply.applied;
  document["changed"] = reply.changed;
  document["length"] = reply.length;
  for (const auto& [space, observation] : reply.observations) {
    document["observations"][space] = observation_to_json(space, observation);
  }
  for (const auto& [space, value] : reply.rewards) {
    document["rewards"][space] = value;
  }
  for (const auto& [pipeline, why] : reply.masked) {
    document["masked"][pipeline] = why;
  }
  return document;
}

Result<SessionReply> parse_session_reply(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  SessionReply reply = read_session_reply(reader);
  reader.finish();
  if (auto error = problems.as_error("session reply")) {
    return *std::move(error);
  }
  return reply;
}

}  // namespace hone
