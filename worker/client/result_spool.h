// Results that honed has not yet accepted, one file each: neither a restart of honed nor one of the
// worker loses a measurement. Thread safe for distinct attempts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/lease.h"

namespace hone {

struct SpooledResult {
  Lease lease;
  AttemptResult result;
};

class ResultSpool {
 public:
  // The folder exists and is ours alone.
  explicit ResultSpool(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // invalid_argument for an attempt whose id is no file name, io_failed.
  Result<void> keep(const SpooledResult& entry);
  void forget(const std::string& attempt);

  // All that are kept, the oldest first. A file that cannot be read is set aside as NAME.bad and
  // logged.
  std::vector<SpooledResult> entries();

 private:
  std::filesystem::path folder_;
};

}  // namespace hone
