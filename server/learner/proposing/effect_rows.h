// Candidates as EffectModel sees them: what they have of every part. Plain values, thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/protocol/source_profile.h"
#include "server/learner/proposing/assignment.h"

namespace hone {

// Names as hashes, in ascending order: rows are multiplied with each other by the hundred thousand.
struct EffectAmount {
  std::uint64_t name = 0;
  double amount = 0;
};
using EffectAmounts = std::vector<EffectAmount>;

struct EffectRow {
  std::string target;           // empty: the one that is proposed for
  EffectAmounts parts;          // by their names, wherever they stand
  EffectAmounts parts_of_file;  // "file\npart"
  EffectAmounts rest;           // the candidate itself
};

// `hot` are the files that the time goes to; empty: not known, and a part on one file counts as one
// on all.
EffectRow effect_row(const std::string& target, const Assignment& assignment, int llvm_major,
                     std::span<const FileShare> hot);

// What the first has more than the second, of the same target.
EffectRow difference(const EffectRow& row, const EffectRow& other);

// The covariance of what two rows are worth, in units of the variance of an effect: parts common to
// both, if they are of one target; of two targets `sharing` (0 to 1) of that.
double covariance(const EffectRow& left, const EffectRow& right, double sharing);

}  // namespace hone
