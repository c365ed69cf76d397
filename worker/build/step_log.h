// Runs the steps of a build and keeps the end of what they say. Not thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/base/subprocess.h"
#include "staging/sandbox/sandbox.h"
#include "worker/artifacts/disk_watch.h"

namespace hone {

inline constexpr std::size_t kLogTail = std::size_t{64} << 10U;

class StepLog {
 public:
  // `file` takes the output of the running step; its folder is ours alone.
  explicit StepLog(std::filesystem::path file, const DiskLimits& limits = {})
      : file_(std::move(file)), limits_(limits) {}

  // Runs the command in the sandbox with both streams in the log, after a line "$ command". Errors
  // and limits as of run_watched().
  Result<SandboxReport> run(Command command, const Sandbox& sandbox, const SandboxView& view,
                            const std::stop_token& stop);

  // At most kLogTail bytes, whole lines where there are any.
  const std::string& tail() const { return tail_; }
  // The last `size` bytes of the last step.
  std::string last_words(std::size_t size) const;

 private:
  void append(std::string_view text);

  std::filesystem::path file_;
  DiskLimits limits_;
  std::string tail_;
  std::string last_;
};

}  // namespace hone
