// The log of compile sessions: what was asked of them and came of it, read as a stream that skips
// nothing (line_page.h). Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "common/sessions/session_reply.h"
#include "server/store/async.h"
#include "server/store/line_page.h"

namespace hone {

enum class StepKind : std::uint8_t { begin, step, observe, undo, end };
std::string_view to_string(StepKind kind);
std::optional<StepKind> parse_step_kind(std::string_view text);

enum class EpisodeStart : std::uint8_t { open, fork, reset };
std::string_view to_string(EpisodeStart start);
std::optional<EpisodeStart> parse_episode_start(std::string_view text);

struct LoggedEpisode {
  std::string id;       // UUID, made by whoever logs
  std::string session;  // UUID
  std::string token;    // id
  std::string program;  // SHA-256 of the artifact
  EpisodeStart start = EpisodeStart::open;
  std::string parent;            // episode's id; empty when opened
  std::int64_t parent_step = 0;  // its last entry at that time
  MachineInfo machine;
  std::string compiler;
  std::int64_t begun_at = 0;  // milliseconds since 1970, as all times here
};

// A row of the log. What does not belong to its kind stays as it is here.
struct LoggedStep {
  std::shared_ptr<const LoggedEpisode> episode;
  std::int64_t step = 0;  // place in the episode, from 0
  StepKind kind = StepKind::step;
  std::vector<std::string> pipelines;           // step
  std::int64_t applied = 0;                     // step
  bool changed = false;                         // step
  std::vector<double> log_propensities;         // step: one a pipeline, or none: not known
  std::int64_t undone = 0;                      // undo: pipelines
  std::string state;                            // SHA-256 of the bitcode before; empty: not known
  std::string next_state;                       // after; likewise
  std::map<std::string, Observation> features;  // what was seen of the next state
  StepOutcome outcome = StepOutcome::ok;        // step
  std::string reason;                           // unless ok; end: why
  std::map<std::string, double> rewards;
  std::int64_t length = 0;   // pipelines from the program to the next state
  std::int64_t entries = 0;  // end: rows of the whole episode
  std::int64_t dropped = 0;  // end: of those, known to be lost
  std::int64_t at = 0;
};

class TransitionStore {
 public:
  explicit TransitionStore(PgPool& pool) : pool_(pool) {}

  // All or nothing, with states and their features, which are added to what is known of them. A row
  // that is there already (same episode and step) stays as it is, so that a batch whose answer was
  // lost may be written again.
  Async<void> add(std::vector<std::shared_ptr<const LoggedStep>> steps);

  // The next lines; as ExperienceStore::read().
  Async<LinePage> read(LineRequest wanted);

 private:
  PgPool& pool_;
};

}  // namespace hone
