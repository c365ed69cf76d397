// What many validations come to, told as CompilerGym's validate script tells it. Not thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/json/document.h"
#include "common/sessions/validation_result.h"

namespace hone {

// "✅  cbench-v1/crc32  0.2500" or "❌  cbench-v1/crc32  Wrong output".
std::string validation_line(const ValidationResult& result);

class ValidationSummary {
 public:
  // `geometric`: the mean of the rewards, of which those below 0 count as 0; else the arithmetic
  // one.
  ValidationSummary(std::string reward, bool geometric)
      : reward_(std::move(reward)), geometric_(geometric) {}

  void add(const ValidationResult& result);
  void add_unreadable() { ++unreadable_; }

  std::size_t failed() const { return failed_; }
  std::size_t unreadable() const { return unreadable_; }
  std::string text() const;
  Json json() const;

 private:
  double mean_reward() const;

  std::string reward_;
  bool geometric_;
  std::size_t states_ = 0;
  std::size_t failed_ = 0;
  std::size_t unreadable_ = 0;
  std::size_t run_ = 0;            // programs that were run
  std::vector<double> rewards_;    // that hold
  std::vector<double> walltimes_;  // of the episodes with them
};

}  // namespace hone
