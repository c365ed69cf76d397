// The replay buffer: one row per counted result, read as a stream that skips nothing.
//
// Rows become visible when their transaction commits, not in the order they were numbered. A cursor
// is therefore (transaction, row), and a read stops before the oldest transaction that still runs:
// what commits later lies behind the cursor of everybody, never before it. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/attempt_result.h"
#include "common/protocol/values.h"
#include "server/store/async.h"
#include "server/store/page.h"

namespace hone {

struct Experience {
  std::string id;  // UUID
  ExperienceSource source = ExperienceSource::staging;
  std::string target;
  std::int64_t target_version = 1;
  std::string job;
  std::string attempt;
  std::string campaign;       // empty for a job submitted by hand, and so are the next two
  std::string candidate_set;  // what the proposer chose from
  std::string candidate;
  std::int64_t candidate_index = 0;      // within the set
  std::optional<double> log_propensity;  // of the candidate within its set; absent if not known
  Stage stage = Stage::race;
  BaselineKind baseline = BaselineKind::o3;
  Outcome outcome = Outcome::no_data;
  std::string reason;
  std::optional<Verdict> verdict;
  std::optional<RewardEstimate> reward;
  std::string reused_attempt;  // measurement that an equal binary reused, empty if measured itself
  std::vector<EffectiveDecision> decisions;  // per object: state, what took effect, log-propensity
  MachineInfo machine;
  std::string compiler;    // first line of --version
  std::string created_at;  // RFC 3339
};

class ExperienceStore {
 public:
  explicit ExperienceStore(PgPool& pool) : pool_(pool) {}

  // The rows after the cursor ("" is the beginning), oldest first. next_cursor is always set and is
  // what to pass the next time, also when nothing came. invalid_argument for a text that is no
  // cursor.
  Async<Page<Experience>> read(PageRequest page);

 private:
  PgPool& pool_;
};

}  // namespace hone
