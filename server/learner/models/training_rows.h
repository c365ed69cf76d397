// Rows that models are trained on, and the file that they come in: a JSON document a line, the
// first one the head.
//
//   {"format": "hone-rows/1", "version": 1, "features": ["InstCount.0", ...], "members": 19}
//   {"features": [8.1, -2.3, ...], "reward": 0.031, "program":
//   "benchmark://debian-v0/lz4/lib/lz4.c",
//    "member": 3, "log_propensity": -2.94, "id": "12"}
//
// "version" is that of what the features mean. "program" says which rows belong together (without:
// each is by itself), "member" and "log_propensity" what was chosen and how probable that was:
// needed by a bandit, whose head has the number of members; "id" is for people. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/learner/ope/decision_log.h"

namespace hone {

struct TrainingRow {
  std::vector<float> features;
  double reward = 0;
  std::string program;
  std::optional<std::size_t> member;
  double log_propensity = 0;
  std::string id;
};

class TrainingRows {
 public:
  TrainingRows(std::vector<std::string> features, int version, std::size_t members)
      : features_(std::move(features)), version_(version), members_(members) {}

  // invalid_argument names the field and the value: another count of features, a number that is not
  // finite, a member that is none, a propensity that is no logarithm of a probability. too_large
  // past kMaxTrainingValues.
  Result<void> add(const TrainingRow& row);

  std::size_t rows() const { return rewards_.size(); }
  std::size_t members() const { return members_; }
  int version() const { return version_; }
  const std::vector<std::string>& features() const { return features_; }
  // Row by row.
  std::span<const float> values() const { return values_; }
  std::span<const float> rewards() const { return rewards_; }
  // Which rows belong together, numbered from 0, and their programs' names.
  std::span<const std::uint32_t> groups() const { return groups_; }
  std::size_t group_count() const { return group_count_; }
  const std::vector<std::string>& programs() const { return programs_; }
  const std::string& first() const { return first_; }
  const std::string& last() const { return last_; }

  // What a bandit learns from. invalid_argument if a row has no member.
  Result<DecisionLog> decisions() const;

 private:
  std::vector<std::string> features_;
  int version_;
  std::size_t members_;
  std::vector<float> values_;
  std::vector<float> rewards_;
  std::vector<std::uint32_t> groups_;
  std::size_t group_count_ = 0;
  std::vector<std::string> programs_;
  std::map<std::string, std::uint32_t> group_of_;
  std::vector<std::int32_t> chosen_;  // -1: nothing was
  std::vector<double> log_propensities_;
  std::string first_;
  std::string last_;
};

// 4 GiB of them.
inline constexpr std::size_t kMaxTrainingValues = std::size_t{1} << 30U;
inline constexpr std::size_t kMaxRowBytes = std::size_t{1} << 20U;

// invalid_argument with the line for one that is wrong; not_found; unsupported for another format.
Result<TrainingRows> read_training_rows(const std::filesystem::path& file);

}  // namespace hone
