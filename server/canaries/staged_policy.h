// What staging knew of a policy before it met real traffic. Not thread safe.
#pragma once

#include <string>

#include "common/json/document.h"
#include "server/store/store.h"

namespace hone {

struct StagedPolicy {
  std::int64_t version = 0;
  std::string campaign;   // id; empty: it was published by hand
  std::string candidate;  // id; likewise
  Json rules;             // list: the candidate's, or the policy's if it has none
  Json log_propensity;    // of the candidate in its set; null: not known
  // {"stage", "baseline", "reward"}: of the confirmation, which nobody chose it by, else of the
  // race; null if neither measured it.
  Json staging;
};

// not_found.
Async<StagedPolicy> staged_policy(Store& store, std::string target, std::int64_t version);

// {"version", "campaign", "candidate", "rules", "staging"}.
Json to_json(const StagedPolicy& policy);

}  // namespace hone
