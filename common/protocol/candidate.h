// Candidates as proposed: a set is what the proposer chose from, with exact probabilities.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/object_reader.h"
#include "common/policy/policy.h"

namespace hone {

inline constexpr std::size_t kMaxCandidates = 10000;

// The least logarithm of a probability that is taken: what was chosen is weighted by the inverse of
// its probability, which must be a finite double (ln of the largest is 709.78). Whoever knows of a
// smaller one says none.
inline constexpr double kLeastLogPropensity = -700;

// The origin of the last campaign's winner, measured again: what it gains now against what it
// gained then is the drift.
inline constexpr std::string_view kLastWinner = "last-winner";

struct Candidate {
  std::string id;                        // UUID, given by the store
  std::int64_t index = 0;                // within its set, from 0
  std::string origin;                    // how it was made, for example "knob", "o3-mutation"
  std::string note;                      // for people, for example "-unroll-count=4"
  std::optional<double> log_propensity;  // natural log, exact; absent if not known
  std::vector<Rule> rules;
};

struct CandidateSet {
  std::string id;         // UUID, given by the store
  std::string generator;  // program and version that proposed it
  std::string scheme;     // formula of the propensities, in words
  std::uint64_t seed = 0;
  std::vector<Candidate> candidates;
};

// How many of a campaign's candidates are confirmed at most.
inline constexpr std::size_t kMaxFinalists = 3;

// Request body of PUT /v1/campaigns/{id}/finalists: {"candidates": [ids, best first]}.
Result<std::vector<std::string>> parse_finalists(const Json& document);

// Request body of POST /v1/campaigns/{id}/candidate-sets (ids absent).
Result<CandidateSet> parse_candidate_set(const Json& document, UnknownKeys unknown);
Json to_json(const CandidateSet& set);
Json to_json(const Candidate& candidate);
Candidate read_candidate(ObjectReader& reader);

}  // namespace hone
