#include "common/sessions/session_request.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "common/json/json_writer.h"

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

constexpr std::size_t kMaxRequestText = std::size_t{256} << 20U;
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

bool needs_link(ObservationSpace space) {
  return is_linked(space);
}
bool needs_link(RewardSpace space) {
  return is_linked(observation_of(space.cost));
}

// Each text by `parse`; one that is unknown becomes a problem.
template <class Space>
std::vector<Space> read_spaces(ObjectReader& reader, std::string_view key,
                               std::optional<Space> (*parse)(std::string_view),
                               std::string_view choices) {
  std::vector<Space> spaces;
  for (const std::string& text : reader.text_list(key, kMaxSpacesPerRequest)) {
    const std::optional<Space> space = parse(text);
    if (space && needs_link(*space)) {
      reader.refuse(key, "\"" + text +
                             "\" needs the program linked and run, which a session's process may "
                             "not do: `hone env` has it, where the program is");
    } else if (space) {
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
    const Json* const list = reader.find("pipelines");
    const bool none = list == nullptr || (list->is_array() && list->empty());
    if (none && request.command == SessionCommand::step) {
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
      read_spaces(reader, "observe", parse_observation_space, kSessionObservationChoices);
  request.rewards = read_spaces(reader, "rewards", parse_reward_space, kSessionRewardChoices);
  request.mask = reader.optional_truth("mask").value_or(false);
  return request;
}

template <class Space>
void write_spaces(JsonWriter& writer, std::string_view key, const std::vector<Space>& spaces) {
  if (spaces.empty()) {
    return;
  }
  writer.key(key).begin_array();
  for (const Space& space : spaces) {
    writer.text(to_string(space));
  }
  writer.end_array();
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

std::string to_line(const SessionRequest& request) {
  const bool opens = request.command == SessionCommand::open;
  JsonWriter writer;
  writer.begin_object();
  if (opens) {
    writer.key("allowed_only").truth(request.allowed_only);
  }
  writer.key("command").text(to_string(request.command));
  if (request.command == SessionCommand::undo) {
    writer.key("count").integer(request.count);
  }
  writer.key("id").integer(request.id);
  if (request.command == SessionCommand::fork) {
    writer.key("into").text(request.into);
  }
  if (request.mask) {
    writer.key("mask").truth(true);
  }
  write_spaces(writer, "observe", request.observe);
  if (!request.pipelines.empty()) {
    writer.key("pipelines").begin_array();
    for (const std::string& pipeline : request.pipelines) {
      writer.text(pipeline);
    }
    writer.end_array();
  }
  if (opens) {
    writer.key("program").text(request.program);
  }
  write_spaces(writer, "rewards", request.rewards);
  writer.key("session").text(request.session);
  if (opens) {
    writer.key("verify").truth(request.verify);
  }
  writer.end_object();
  return writer.take();
}

Json to_json(const SessionRequest& request) {
  return *parse_json(to_line(request), {.bytes = kMaxRequestText});
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
