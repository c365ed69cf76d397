// The policy document that is published for a campaign's winner. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "common/policy/policy.h"
#include "common/protocol/candidate.h"
#include "common/protocol/job.h"
#include "common/protocol/target_spec.h"

namespace hone {

// The rules as they were in force when the candidate was confirmed: sources that the target
// excludes (and, one by one, those seen in the build that its include globs do not match) plain,
// then the candidate's own. `confirm` is the confirm job with its result; `now` is in seconds since
// 1970, `compared` what was found against the policy in force (empty: there was none), which goes
// into the provenance.
Policy winning_policy(const TargetSpec& target, const Candidate& candidate, const JobView& confirm,
                      std::int64_t now, const std::string& compared = "");

// "19.1.7" of "Debian clang version 19.1.7 (3+b1)"; "" if there is no version in it.
std::string compiler_version(const std::string& first_line);

}  // namespace hone
