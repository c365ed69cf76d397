// Which decision which of a product's files gets: a candidate's rules as a search sees them.
//
// A general decision for every file, and others for some, by their names. Rules that say more than
// that (wildcards but "*", outputs, option fingerprints, choices) are not of this kind; candidates
// with such rules are measured as all others but nothing is learnt from them. Plain values. Thread
// safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/policy.h"

namespace hone {

struct Assignment {
  Decision general;                       // of files that are not named below
  std::map<std::string, Decision> files;  // by source, relative to the product's root

  const Decision& of(const std::string& source) const;
  bool operator==(const Assignment&) const = default;
};

// Nothing for rules that no assignment says.
std::optional<Assignment> assignment_of(const std::vector<Rule>& rules);

// The rules: named files first, then the general one unless it is plain. Empty for an assignment
// that changes nothing.
std::vector<Rule> rules_of(const Assignment& assignment, const std::vector<std::string>& levels);

// Knobs sorted by name, every plain decision Decision(), files that get the general decision left
// out: equal assignments are equal values afterwards.
Assignment tidy(Assignment assignment);

// The same text for the same assignment (tidied).
std::string key_of(const Assignment& assignment);

// For people: "-unroll-count=4; lib/lz4hc.c: -inline-threshold=100".
std::string note_of(const Assignment& assignment);

}  // namespace hone
