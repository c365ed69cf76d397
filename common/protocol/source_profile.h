// Where a benchmark's time goes: the share of each source file in the instructions that the
// baseline executes, so that candidates are made for the files that matter. Measured once for a
// version of a target, beside a race job's own work, when its lease asks for it. Plain values.
#pragma once

#include <string>
#include <vector>

#include "common/json/object_reader.h"

namespace hone {

struct FileShare {
  std::string source;  // relative to the source root
  double share = 0;    // of all instructions, 0 to 1
  bool operator==(const FileShare&) const = default;
};

// The smallest share that is kept, and how many are.
inline constexpr double kLeastFileShare = 0.001;
inline constexpr std::size_t kMaxFileShares = 200;

struct SourceProfile {
  std::string why_none;          // why there is none; empty: there is one
  std::vector<FileShare> files;  // the largest first; what is missing to 1 is not the product's own
  bool operator==(const SourceProfile&) const = default;
};
Json to_json(const SourceProfile& profile);
SourceProfile read_source_profile(ObjectReader& reader);

// The hot files, largest share first: those that it takes to reach `coverage` of what the product's
// own files execute, none below one per cent.
std::vector<FileShare> hot_files(const SourceProfile& profile, double coverage = 0.98);

}  // namespace hone
