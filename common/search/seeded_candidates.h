// The first candidates of a campaign, before anything has been learnt: a seeded draw from a pool.
//
// The pool is a function of the specification alone. Its strata, with their weights out of 100
//
//   origin             time   time, with sources   size   size, with sources
//   knob                 50                   35     35                   25
//   o3-mutation (Oz:     35                   25     40                   30
//     oz-mutation)
//   random-pipeline      15                   10     25                   15
//   per-file              0                   30      0                   30
//
//  - knob: one value of one knob of the table for every file; the few to try first (unroll-count=4,
//    inline-threshold=1000 and their like) weigh 8, the others 1;
//  - o3-mutation: the flattened O3 (for size: Oz) text after 1 to 6 edits, with the knobs that
//  restore
//    the parameters which the text loses (o3_pipeline.h);
//  - random-pipeline: default<O3> (or Oz) and a tail of 1 to 8 random passes;
//  - per-file: one of the knob values to try first, or a mutation, for a single source.
// All members are distinct as canonical decisions and none is the plain -O3 (or -Oz).
//
// From the pool `count` members are drawn one after the other without replacement. The propensity
// of a candidate is the probability of its draw given the draws before it, in the order of the set:
//
//   p_k = W_h / sum(W_g : stratum g has members left) * w_i / sum(w_j : j left in h)
//
// (stratified_draw.h), so an importance-weighted estimate that takes the candidates in their order
// is unbiased step by step, and any first part of the set is itself a valid set. The result is the
// same on every platform, to the last bit. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/policy/policy.h"

namespace hone {

enum class SearchObjective { time, size };

inline constexpr std::size_t kMaxSeededCandidates = 10000;
inline constexpr std::size_t kMaxSeedSources = 256;  // further ones get no variants of their own

struct SeedSpec {
  std::uint64_t seed = 0;
  std::size_t count = 0;
  int llvm_major = 19;
  // Sources of the product that are compiled at a tuned level, relative to its root. May be empty.
  // Those whose names hold '*' or '?' are left out: a rule's source is a pattern.
  std::vector<std::string> sources;
  SearchObjective objective = SearchObjective::time;
  // The levels that the rules tune; empty: O3 for time, Os and Oz for size.
  std::vector<std::string> levels;
};

struct ProposedCandidate {
  std::vector<Rule> rules;
  double log_propensity = 0;  // ln p_k, at most 0
  std::string origin;         // see above
  std::string note;           // what is special about it, for people
};

struct SeededCandidates {
  std::vector<ProposedCandidate> candidates;  // in the order of the draws
  std::string generator;                      // "hone-search 1"
  std::string scheme;                         // the formula above in words, with the pool's sizes
  std::size_t pool_size = 0;
};

// A set of `count` candidates (fewer only if the pool holds fewer, which grows with count).
// invalid_argument for count 0 or above kMaxSeededCandidates, unsupported for a major without
// tables.
Result<SeededCandidates> make_seeded_candidates(const SeedSpec& spec);

}  // namespace hone
