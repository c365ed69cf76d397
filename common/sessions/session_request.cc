#include "common/sessions/session_request.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

struct Spelling {
  SessionCommand command;
  std::string_view text;
};
constexpr auto kSpellings = std::to_array<Spelling>({
    {SessionCommand::open, "open"},
    {SessionCommand::step, "step"},
    {SessionCommand::observe, "observe"},
    {SessionCommand::undo, "undo"},
    {SessionCommand::reset, "reset"},
    {SessionCommand::fork, "fork"},
    {SessionCommand::close, "close"},
});

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::int64_t kMaxExactId = (std::int64_t{1} << 53U) - 1;
constexpr std::int64_t kMaxUndo = 100000;
constexpr std::size_t kMaxPipelineText = 64U << 10U;

bool is_session_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string read_session_name(ObjectReader& reader, std::string_view key) {
  std::string name = reader.text(key, {.max_size = kMaxNameBytes});
  if (!name.empty() && !is_session_name(name)) {
    reader.refuse(key, "\"" + name + "\" must be 1 to 64 of a-z, 0-9 and -");
  }
  return name;
}

// Each text by `parse`; one that is unknown becomes a problem.
template <class Space>
std::vector<Space> read_spaces(ObjectReader& reader, std::string_view key,
                               std::optional<Space> (*parse)(std::string_view),
                               std::string_view choices) {
  std::vector<Space> spaces;
  for (const std::string& text : reader.text_list(key, kMaxSpacesPerRequest)) {
    if (const std::optional<Space> space = parse(text)) {
      spaces.push_back(*space);
    } else {
      reader.refuse(key, "\"" + text + "\" is not one of " + std::string(choices));
    }
  }
  return spaces;
}

SessionRequest read_session_request(ObjectReader& reader) {
  SessionRequest request;
  request.id = reader.integer("id", 0, kMaxExactId);
  request.session = read_session_name(reader, "session");
  request.command = reader.one_of("command", parse_session_command, kSessionCommandChoices);
  if (request.command == SessionCommand::open) {
    request.program = reader.text("program");
    request.verify = reader.optional_truth("verify").value_or(true);
    request.allowed_only = reader.optional_truth("allowed_only").value_or(true);
  }
  if (request.command == SessionCommand::open || request.command == SessionCommand::step) {
    request.pipelines =
        reader.text_list("pipelines", kMaxPipelinesPerStep, {.max_size = kMaxPipelineText});
    if (request.pipelines.empty() && request.command == SessionCommand::step) {
      reader.refuse("pipelines", "a step needs at least one");
    }
  }
  if (request.command == SessionCommand::undo) {
    request.count = reader.optional_integer("count", 1, kMaxUndo).value_or(1);
  }
  if (request.command == SessionCommand::fork) {
    request.into = read_session_name(reader, "into");
  }
  request.observe =
      read_spaces(reader, "observe", parse_observation_space, kObservationSpaceChoices);
  request.rewards = read_spaces(reader, "rewards", parse_reward_space, kRewardSpaceChoices);
  request.mask = reader.optional_truth("mask").value_or(false);
  return request;
}

template <class Space>
Json spelled(const std::vector<Space>& spaces) {
  Json list = Json::array();
  for (const Space& space : spaces) {
    list.push_back(std::string(to_string(space)));
  }
  return list;
}

}  // namespace

const std::string_view kSessionCommandChoices = "open, step, observe, undo, reset, fork, close";

std::string_view to_string(SessionCommand command) {
  return std::ranges::find(kSpellings, command, &Spelling::command)->text;
}

std::optional<SessionCommand> parse_session_command(std::string_view text) {
  const auto found = std::ranges::find(kSpellings, text, &Spelling::text);
  return found == kSpellings.end() ? std::nullopt : std::optional(found->command);
}

Json to_json(const SessionRequest& request) {
  Json document = {{"id", request.id},
                   {"session", request.session},
                   {"command", std::string(to_string(request.command))}};
  if (request.command == SessionCommand::open) {
    document["program"] = request.program;
    document["verify"] = request.verify;
    document["allowed_only"] = request.allowed_only;
  }
  if (!request.pipelines.empty()) {
    document["pipelines"] = request.pipelines;
  }
  if (request.command == SessionCommand::undo) {
    document["count"] = request.count;
  }
  if (request.command == SessionCommand::fork) {
    document["into"] = request.into;
  }
  if (!request.observe.empty()) {
    document["observe"] = spelled(request.observe);
  }
  if (!request.rewards.empty()) {
    document["rewards"] = spelled(request.rewards);
  }
  if (request.mask) {
    document["mask"] = true;
  }
  return document;
}

Result<SessionRequest> parse_session_request(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  SessionRequest request = read_session_request(reader);
  reader.finish();
  if (auto error = problems.as_error("session request")) {
    return *std::move(error);
  }
  return request;
}

}  // namespace hone
