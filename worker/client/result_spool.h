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

  // Those that are kept, the oldest first.
  std::vector<std::string> attempts() const;
  // One of them. A file that cannot be read is set aside as NAME.bad and logged, which is the
  // error.
  Result<SpooledResult> read(const std::string& attempt);
  // All that are kept and can be read, the oldest first.
  std::vector<SpooledResult> entries();

  // Keeps what honed refused for good for people to look at, as ATTEMPT.json.refused, where nobody
  // sends it again; gives where. Of all that was set aside the newest kMostAside stay, what goes is
  // logged. io_failed.
  Result<std::filesystem::path> set_aside(const std::string& attempt);
  static constexpr std::size_t kMostAside = 100;

 private:
  std::filesystem::path file_of(const std::string& attempt) const {
    return folder_ / (attempt + ".json");
  }
  void remove_oldest_aside() const;

  std::filesystem::path folder_;
};

}  // namespace hone
