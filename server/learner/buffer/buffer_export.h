// Exports of the replay buffer and of the log of compile sessions, made from their NDJSON.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "common/base/result.h"

namespace hone {

struct ExportCounts {
  std::uint64_t rows = 0;
  std::uint64_t without_reward = 0;
  std::uint64_t batches = 0;
};

// Writes RLlib's sample batches of an exported file to `folder`, with spaces.json beside them: the
// names of the observation's numbers, and the actions by number.
//
// Of experiences: episodes of one step. The action is the candidate's rules, the observation what
// was known before (target, baseline, stage, number of objects), the reward its estimate.
// not_found, io_failed, invalid_argument for a line that is none; too_large for too many actions.
Result<ExportCounts> export_experience_batches(const std::filesystem::path& ndjson,
                                               const std::filesystem::path& folder,
                                               const std::stop_token& stop);

// Writes experiences that have a reward as rows that models are trained on (hone-rows/1): features
// are the same context and each knob that a candidate sets, rows of a target belong together.
// Others are counted.
Result<ExportCounts> export_experience_rows(const std::filesystem::path& ndjson,
                                            const std::filesystem::path& output,
                                            const std::stop_token& stop);

// Of compile sessions: an episode is a line. The action is a step's pipelines, the observation the
// state's in that space (observations: names as sessions have them), the reward that of the space
// named. Steps that failed are there, without a reward. An episode whose end is missing is cut off
// (truncated). Errors as above; not_found if no state has the observation.
Result<ExportCounts> export_session_batches(const std::filesystem::path& ndjson,
                                            const std::filesystem::path& folder,
                                            const std::string& observation,
                                            const std::string& reward, const std::stop_token& stop);

// The data card of an exported file, in Markdown: what is in it, of what, from when, what failed.
Result<std::string> experience_card(const std::filesystem::path& ndjson,
                                    const std::stop_token& stop);
Result<std::string> session_card(const std::filesystem::path& ndjson, const std::stop_token& stop);

}  // namespace hone
