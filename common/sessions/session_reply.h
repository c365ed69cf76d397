// What a session server answers; sealed_reply.h has how it travels. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/json/document.h"
#include "common/json/json_writer.h"
#include "common/json/object_reader.h"
#include "common/sessions/observation_space.h"

namespace hone {

// How a step ended. Everything but ok names the pipeline and the reason; the session stands where
// the pipelines before it led, and goes on.
enum class StepOutcome : std::uint8_t {
  ok,
  crashed,         // the compiler died of it
  timed_out,       // it took longer than a pipeline may
  limit_exceeded,  // it took more memory than a session may
  broken_module,   // it left a module that breaks LLVM's rules
};
std::string_view to_string(StepOutcome outcome);
std::optional<StepOutcome> parse_step_outcome(std::string_view text);

// What those must know who pass a reply on.
struct ReplyHead {
  std::int64_t id = 0;
  std::optional<Error> error;  // the request was refused and changed nothing; nothing else holds
  StepOutcome outcome = StepOutcome::ok;
  std::string pipeline;      // that ended the step, unless ok
  std::string reason;        // for people, unless ok
  std::int64_t applied = 0;  // pipelines of the request
  bool changed = false;      // whether a pass says that it changed something
  std::int64_t length = 0;   // pipelines that led here
  // Pipelines that the session has tried and that are no use now, with the reason: how they failed
  // on this program, wherever that was ("crashed"), or "no_effect" where they changed nothing since
  // something else did. If the request asks; at most kMaxMasked of each.
  std::map<std::string, std::string> masked;
};
inline constexpr std::string_view kNoEffect = "no_effect";
inline constexpr std::size_t kMaxMasked = 4096;

struct SessionReply : ReplyHead {
  std::map<std::string, Observation> observations;  // by the space's name
  std::map<std::string, double> rewards;
};

// The whole as one object, for people and programs that are not ours.
Json to_json(const SessionReply& reply);

// Its two parts, as members of an object that is being written, by name. Bitcode, which is no text,
// is written in base64; everything else as JSON has it. A head is written with what its reader
// needs.
struct HeadForm {
  std::optional<std::int64_t> version = {};
  std::optional<std::int64_t> id = {};
  std::string_view session = {};
  std::string_view episode = {};  // in the log of sessions
};
void write_head(JsonWriter& writer, const ReplyHead& head, const HeadForm& form);
void write_body(JsonWriter& writer, const SessionReply& reply);

// What is wrong is with the reader.
void read_reply_body(ObjectReader& reader, SessionReply& reply);

}  // namespace hone
