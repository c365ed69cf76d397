// Rows of the replay buffer as a learner reads them (/v1/experiences). Plain values.
//
// Words of a closed set (outcome, verdict ...) are kept as they are spelled, and keys that are not
// known here are passed over: a newer honed may have more of both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/reward_estimate.h"

namespace hone {

// What took effect for one object.
struct ExperienceDecision {
  std::string source;
  std::string output;
  std::string state_id;       // of the module; empty: not known
  std::string pipeline_hash;  // empty: plain
  bool tuned = false;
  bool meant = false;
  std::string reason;
  std::optional<double> log_propensity;
};

struct Experience {
  std::string cursor;  // where the stream goes on behind this row
  std::string id;
  std::string source;  // staging, production, session
  std::string target;
  std::int64_t target_version = 0;
  std::string job;  // empty as far as there is none, and so are the next ones
  std::string campaign;
  std::string candidate_set;  // what the proposer chose from
  std::string candidate;
  std::optional<std::int64_t> candidate_index;
  std::optional<double> log_propensity;  // exact, or absent
  std::string stage;
  std::string baseline;
  std::string outcome;  // anything but ok has a reason and no reward
  std::string reason;
  std::string verdict;
  std::optional<RewardEstimate> reward;
  std::string reused_attempt;
  std::string rules;  // JSON: the action, as it was asked for; empty: not known
  std::vector<ExperienceDecision> decisions;
  std::string host;
  std::string cpu_model;
  std::int64_t cpus = 0;
  std::string compiler;
  std::string created_at;
};

// A step, or another line, of a logged compile session (/v1/transitions).
struct SessionStep {
  std::string cursor;
  std::string kind;  // begin, step, observe, undo, end
  std::string episode;
  std::int64_t step = 0;
  std::string program;
  std::string start;
  std::string compiler;
  std::string state;       // before; empty: not known
  std::string next_state;  // after; likewise
  std::string features;    // JSON: what is known of next_state; empty: nothing
  std::vector<std::string> pipelines;
  std::int64_t applied = 0;
  bool changed = false;
  std::string outcome;
  std::string reason;
  std::vector<double> log_propensities;  // one a pipeline, or none: not known
  std::vector<std::pair<std::string, double>> rewards;
  std::int64_t length = 0;
  std::int64_t entries = 0;
  std::string host;
  std::string at;
};

}  // namespace hone
