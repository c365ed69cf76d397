// Results of races by the binary they measured, in one workspace of one worker: an equal binary is
// not measured twice. Only results that honed accepted are kept, never those of confirmations.
//
// Nothing here says which database it was counted in: one that was restored from a backup, or made
// anew, does not know attempts that the worker does. It refuses them, and they are forgotten then.
//
// One JSON line a result, appended; a line cut short by a crash is passed over. Thread safe within
// the one worker process that owns the folder.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"

namespace hone {

struct MeasuredBinary {
  std::string attempt;
  Verdict verdict = Verdict::inconclusive;
  RewardEstimate reward;
};

class MeasuredBinaries {
 public:
  explicit MeasuredBinaries(std::filesystem::path file) : file_(std::move(file)) {}

  // The first result of this binary (binaries_key), or nothing.
  std::optional<MeasuredBinary> find(const std::string& key) const;
  // io_failed; nothing is kept then.
  Result<void> add(const std::string& key, const MeasuredBinary& measured);
  // Forgets what this attempt measured. Whether there was anything; io_failed, and then it is there
  // as before.
  Result<bool> forget(const std::string& attempt);

 private:
  std::filesystem::path file_;
  mutable std::mutex mutex_;
};

}  // namespace hone
