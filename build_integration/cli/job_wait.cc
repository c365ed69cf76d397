#include "build_integration/cli/job_wait.h"

#include <fmt/format.h>

#include "common/base/printable.h"

namespace hone {
namespace {

constexpr std::int64_t kMostAhead = 1000;  // as honed counts them

// A coordinator of a release before this one tells no more than what no worker has.
std::string unmet_text(const JobView& job) {
  std::string text;
  for (const std::string& unmet : job.unmet) {
    text += (text.empty() ? "no worker that takes jobs has " : ", and none ") + unmet;
  }
  return text;
}

}  // namespace

std::string place_text(std::int64_t ahead) {
  if (ahead == 0) {
    return "next in the queue";
  }
  return fmt::format("{} job{}{} before it in the queue", ahead, ahead == 1 ? "" : "s",
                     ahead >= kMostAhead ? " or more" : "");
}

std::string wait_reason(const JobView& job) {
  switch (job.state) {
    case JobState::queued: {
      const std::string unmet = unmet_text(job);
      std::string text = job.waits;
      if (!unmet.empty()) {
        text += (text.empty() ? "" : ": ") + unmet;
      }
      return printable(text.empty() ? "queued" : "queued: " + text);
    }
    case JobState::leased:
      return job.attempts.empty() ? std::string("a worker measures it")
                                  : printable("measured by " + job.attempts.back().worker);
    case JobState::done:
    case JobState::dead:
    case JobState::cancelled:
      break;
  }
  return "";
}

std::string wait_text(const JobView& job) {
  const std::string reason = wait_reason(job);
  return job.state == JobState::queued && job.ahead ? reason + ", " + place_text(*job.ahead)
                                                    : reason;
}

std::optional<std::string> WaitNews::of(const JobView& job) {
  std::string reason = wait_reason(job);
  if (reason.empty() || reason == last_) {
    return std::nullopt;
  }
  last_ = std::move(reason);
  return wait_text(job);
}

}  // namespace hone
