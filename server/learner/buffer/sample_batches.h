// RLlib's JSON sample batches, as ray.rllib.offline.JsonReader reads them: files of lines, each a
// batch {"type": "SampleBatch", "obs": [...], "actions": [...], ...}.
//
// JSON has no NaN, and a reward that was not measured is none: where a row has no reward, no exact
// propensity or no observation, the column holds a filler, and a column beside it 0:
//   reward_known       0: rewards holds 0
//   action_logp_known  0: action_logp holds -1e30 and action_prob 0
//   obs_known, new_obs_known  0: the vector holds zeros
// infos tells why (outcome, reason). Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

struct SampleRow {
  std::vector<double> obs;      // empty: not known
  std::vector<double> new_obs;  // likewise
  std::int64_t action = 0;
  std::optional<double> reward;
  std::optional<double> action_logp;
  bool terminated = false;
  bool truncated = false;
  std::int64_t eps_id = 0;
  std::int64_t unroll_id = 0;
  std::int64_t t = 0;
  std::string info;  // a JSON object
};

// Actions by number, in the order in which they were first seen.
class ActionTable {
 public:
  // too_large past a million.
  Result<std::int64_t> number_of(const std::string& action);
  std::vector<std::string> list() const;

 private:
  std::map<std::string, std::int64_t> numbers_;
};

class SampleBatchWriter {
 public:
  // Files are FOLDER/NAME-00000.json and so on, of some 64 MiB each; older ones of that name are
  // removed, or a reader would read both. io_failed.
  static Result<SampleBatchWriter> create(const std::filesystem::path& folder,
                                          const std::string& name, std::size_t obs_size);

  // One line; nothing for no rows. Vectors that are known have obs_size numbers.
  Result<void> write(const std::vector<SampleRow>& rows);
  Result<void> finish();

  std::uint64_t rows() const { return rows_; }
  std::uint64_t batches() const { return batches_; }
  std::uint64_t without_reward() const { return without_reward_; }

 private:
  Result<void> open_next();

  std::filesystem::path folder_;
  std::string name_;
  std::size_t obs_size_ = 0;
  std::size_t files_ = 0;
  std::ofstream file_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t batches_ = 0;
  std::uint64_t without_reward_ = 0;
};

// The first 52 bits of a UUID, which JSON's numbers hold: as good as unique, and the same in every
// export.
std::int64_t episode_number(std::string_view uuid);

}  // namespace hone
