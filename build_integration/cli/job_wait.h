// What people and pipelines hear while a job is waited for: why it is not measured yet, told when
// that changes and not before. Plain values, not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/protocol/job.h"

namespace hone {

// "queued: no worker is connected", "measured by staging-1"; empty for a job that is over.
std::string wait_reason(const JobView& job);
// With the place in the queue, which changes all the time: "..., 12 jobs before it".
std::string wait_text(const JobView& job);

// "next in the queue", "12 jobs before it in the queue".
std::string place_text(std::int64_t ahead);

class WaitNews {
 public:
  // What to tell of this answer: nothing if the reason is the one before.
  std::optional<std::string> of(const JobView& job);

 private:
  std::string last_;
};

}  // namespace hone
