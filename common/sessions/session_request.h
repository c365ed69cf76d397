// What is asked of a session server (hone-session), one JSON document a line. Plain values.
//
//   {"id":1,"session":"a","command":"open","program":"/tmp/x.bc"}
//   {"id":2,"session":"a","command":"step","pipelines":["function(sroa)"],"observe":["Autophase"],
//    "rewards":["IrInstructionCountOz"]}
//   {"id":3,"session":"a","command":"fork","into":"b"}
//   {"id":4,"session":"a","command":"undo","count":1}
//   {"id":5,"session":"a","command":"reset"}
//   {"id":6,"session":"a","command":"close"}
//
// Every command but close may ask for observations, for what is masked and, as of the whole
// episode, for rewards; a step's rewards are the step's own. Requests of one session are answered
// in their order, those of different ones as they are done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/json/object_reader.h"
#include "common/sessions/observation_space.h"
#include "common/sessions/reward_space.h"

namespace hone {

inline constexpr std::size_t kMaxPipelinesPerStep = 1000;
inline constexpr std::size_t kMaxSpacesPerRequest = 32;

enum class SessionCommand : std::uint8_t { open, step, observe, undo, reset, fork, close };
std::string_view to_string(SessionCommand command);
std::optional<SessionCommand> parse_session_command(std::string_view text);
extern const std::string_view kSessionCommandChoices;

struct SessionRequest {
  std::int64_t id = 0;  // the answer carries it
  std::string session;  // 1 to 64 of a-z 0-9 -, chosen by whoever asks
  SessionCommand command = SessionCommand::observe;
  std::string program;                 // open: a file of bitcode or IR text
  bool verify = true;                  // open: the module's rules are checked after each step
  bool allowed_only = true;            // open: only pipelines of searchable and fixed passes
  std::vector<std::string> pipelines;  // step, and open: applied right away
  std::int64_t count = 1;              // undo: pipelines
  std::string into;                    // fork: the new session's name
  std::vector<ObservationSpace> observe;
  std::vector<RewardSpace> rewards;
  bool mask = false;  // the reply says which pipelines are not worth a step (SessionReply::masked)
};
// As it is sent, without the line end.
std::string to_line(const SessionRequest& request);
Json to_json(const SessionRequest& request);
// invalid_argument with every bad field.
Result<SessionRequest> parse_session_request(const Json& document);

}  // namespace hone
