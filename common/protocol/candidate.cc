#include "common/protocol/candidate.h"

#include "common/protocol/fields.h"
#include "common/protocol/rules.h"

namespace hone {
namespace {

CandidateSet read_set(ObjectReader& reader) {
  CandidateSet set;
  set.id = text_or_empty(reader, "id", 64);
  set.generator = reader.text("generator", {.max_size = 256});
  set.scheme = text_or_empty(reader, "scheme");
  set.seed = read_seed(reader, "seed", 0);
  reader.each("candidates", kMaxCandidates, [&set](ObjectReader& item) {
    Candidate candidate = read_candidate(item);
    const auto place = static_cast<std::int64_t>(set.candidates.size());
    if (item.has("index") && candidate.index != place) {
      item.refuse("index", "must be the place in the list, " + std::to_string(place));
    }
    candidate.index = place;
    set.candidates.push_back(std::move(candidate));
  });
  if (set.candidates.empty()) {
    const Json* list = reader.find("candidates");
    if (list == nullptr || (list->is_array() && list->empty())) {
      reader.refuse("candidates", "must have at least one candidate");
    }
  }
  return set;
}

std::vector<std::string> read_finalists(ObjectReader& reader) {
  std::vector<std::string> ids = reader.text_list("candidates", kMaxFinalists, {.max_size = 64});
  const Json* list = reader.find("candidates");
  if (list == nullptr || (list->is_array() && list->empty())) {
    reader.refuse("candidates",
                  "must name 1 to " + std::to_string(kMaxFinalists) + " candidates, best first");
  }
  return ids;
}

}  // namespace

Result<std::vector<std::string>> parse_finalists(const Json& document) {
  return parse_document(document, UnknownKeys::refuse, "finalists", read_finalists);
}

Result<CandidateSet> parse_candidate_set(const Json& document, UnknownKeys unknown) {
  return parse_document(document, unknown, "candidate set", read_set);
}

Json to_json(const CandidateSet& set) {
  Json candidates = Json::array();
  for (const Candidate& candidate : set.candidates) {
    candidates.push_back(to_json(candidate));
  }
  return Json{{"id", null_if_empty(set.id)},
              {"generator", set.generator},
              {"scheme", null_if_empty(set.scheme)},
              {"seed", set.seed},
              {"candidates", std::move(candidates)}};
}

Json to_json(const Candidate& candidate) {
  return Json{{"id", null_if_empty(candidate.id)},
              {"index", candidate.index},
              {"origin", null_if_empty(candidate.origin)},
              {"note", null_if_empty(candidate.note)},
              {"log_propensity", null_if_absent(candidate.log_propensity)},
              {"rules", rules_to_json(candidate.rules)}};
}

Candidate read_candidate(ObjectReader& reader) {
  Candidate candidate;
  candidate.id = text_or_empty(reader, "id", 64);
  candidate.index = reader.optional_integer("index", 0, kMaxCandidates).value_or(0);
  candidate.origin = text_or_empty(reader, "origin", 64);
  candidate.note = text_or_empty(reader, "note");
  // A natural logarithm of a probability: at most 0. Probability 0 is none: it cannot be proposed.
  candidate.log_propensity =
      read_optional_measured(reader, "log_propensity", kLeastLogPropensity, 0);
  candidate.rules = read_rules(reader, "rules");
  return candidate;
}

}  // namespace hone
