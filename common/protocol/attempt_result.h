// What a worker reports of one attempt at measuring one candidate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json/object_reader.h"
#include "common/protocol/reward_estimate.h"
#include "common/protocol/self_check.h"
#include "common/protocol/source_profile.h"
#include "common/protocol/values.h"

namespace hone {

inline constexpr std::size_t kMaxSamples = 100000;
inline constexpr std::size_t kMaxDecisions = 100000;
inline constexpr std::size_t kMaxReasonBytes = 16384;

// One run of the benchmark. Candidates that were raced with each other share the baseline's runs:
// the same one is then in the result of each.
struct Sample {
  std::int64_t pair = 0;      // from 0
  std::int64_t position = 0;  // 0 first of its pair, 1 second
  std::int64_t block = 0;     // blocks of 4 pairs, two in each order
  std::int64_t layout = 0;    // which layout variant was drawn, 0 if there is but one
  std::string input;          // name of the input, empty if the benchmark has none
  Metric metric = Metric::cpu_time;
  SampleRole role = SampleRole::baseline;
  double value = 0;  // in the metric's unit (values.h), above 0
  bool operator==(const Sample&) const = default;
};
Json to_json(const Sample& sample);

// What took effect for one object file.
struct EffectiveDecision {
  std::string source;         // relative to the source root
  std::string output;         // relative to the build folder
  std::string state_id;       // SHA-256 of the module's unoptimised bitcode, empty if not computed
  std::string pipeline_hash;  // of the decision that took effect; empty when plain
  bool tuned = false;
  bool meant = false;  // a rule wanted it tuned
  std::string reason;  // why it is plain
  std::optional<double> log_propensity;
  bool operator==(const EffectiveDecision&) const = default;
};
Json to_json(const EffectiveDecision& decision);

struct BinaryInfo {
  std::string path;  // relative to the build folder
  std::string sha256;
  std::int64_t size_bytes = 0;
  std::int64_t text_bytes = 0;  // executable sections, 0 if not an ELF file
  bool operator==(const BinaryInfo&) const = default;
};
Json to_json(const BinaryInfo& binary);

struct MachineInfo {
  std::string host;
  std::string cpu_model;
  std::int64_t cpus = 0;
  std::int64_t memory_mib = 0;
  std::string kernel;
  bool operator==(const MachineInfo&) const = default;
};
Json to_json(const MachineInfo& machine);
MachineInfo read_machine(ObjectReader& reader);

struct ToolchainInfo {
  std::string compiler;  // first line of --version
  std::string plugin_sha256;
  std::string launcher_version;
  std::string linker;
  bool operator==(const ToolchainInfo&) const = default;
};

struct AttemptResult {
  Outcome outcome = Outcome::no_data;
  std::string reason;                    // readable; required unless ok
  std::optional<Verdict> verdict;        // only with ok
  std::optional<RewardEstimate> reward;  // only with ok; absent if the binary equals the baseline's
  std::string reused_attempt;            // attempt whose measurement this equal binary reuses
  std::vector<Sample> samples;
  std::vector<EffectiveDecision> decisions;
  std::vector<BinaryInfo> binaries;
  std::vector<BinaryInfo> baseline_binaries;
  MachineInfo machine;
  ToolchainInfo toolchain;
  double build_seconds = 0;           // wall time of the candidate's build
  double baseline_build_seconds = 0;  // 0 if the baseline was there already
  double measure_seconds = 0;         // in a race of several, of the candidate's own runs
  // Links of each side's program that were measured, the same code at other addresses; and the
  // standard deviation of the log time between them, 0 if none shows above the noise.
  std::int64_t links = 1;
  double layout_sigma = 0;
  std::optional<SelfCheck> self_check;   // if the lease asked for one and it came to a verdict
  std::optional<SourceProfile> profile;  // if the lease asked for one
  std::string log;                       // tail of build and benchmark output, at most 64 KiB
  std::vector<std::string> warnings;     // for example autocorrelation, outliers on one side

  bool operator==(const AttemptResult&) const = default;
};
Json to_json(const AttemptResult& result);
// A whole result. Checks the invariants too: a reward only with ok, and with samples or a reused
// attempt; with ok a verdict, otherwise a reason; finite numbers, low <= value <= high, samples
// positive.
Result<AttemptResult> parse_attempt_result(const Json& document, UnknownKeys unknown);
// The same within another document. A job's view shows its result without the samples, so that
// these are not asked for.
AttemptResult read_attempt_result(ObjectReader& reader);

}  // namespace hone
