// Trials of staging as what their candidates are worth in production, and the canaries' own among
// them: what a target's campaign proposes from (production_correction.h). Thread safe.
#pragma once

#include <span>
#include <vector>

#include "common/protocol/canary_lesson.h"
#include "common/protocol/source_profile.h"
#include "server/learner/proposing/trial.h"

namespace hone {

// Of the newest so many canaries.
inline constexpr std::size_t kMostLessons = 200;

// `trials` are of one campaign, raced against `baseline`; `lessons` of its target, newest first.
// Candidates that were canaries are found again by what they do, file by file, and so are those
// whose binaries were measured to be equal. Those that were withdrawn are marked so; canaries that
// are not among the trials come behind them, marked `elsewhere`. One whose rules are no assignment
// is passed over. Without lessons the trials are what they were.
std::vector<Trial> with_production(std::span<const Trial> trials,
                                   std::span<const CanaryLesson> lessons, BaselineKind baseline,
                                   int llvm_major, std::span<const FileShare> hot);

}  // namespace hone
