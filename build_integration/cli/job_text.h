// Jobs as people read them. Thread safe.
#pragma once

#include <span>
#include <string>

#include "common/protocol/job.h"

namespace hone {

// Everything about one job: state, outcome with its reason, reward, attempts, rules, warnings, and
// the tail of the log when it failed. Text from elsewhere cannot steer the terminal.
std::string print_job(const JobView& job);

// A table of jobs.
std::string print_jobs(std::span<const JobView> jobs);

}  // namespace hone
