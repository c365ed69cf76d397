// The policy document: how people, honed and the signer exchange a policy.
//
//   {"format": 1, "requires": [], "target": "lz4", "sequence": 7,
//    "compiler": {"family": "clang", "major": 19, "version": "19.1.7"},
//    "commit": "...", "created_at": "2026-11-27T23:13:02Z", "expires_at": "...",
//    "provenance": "...", "card": {}, "cpu_limit_seconds": 120,
//    "rules": [{"source": "lib/*.c", "output": "", "options": "", "levels": ["O3"],
//               "on_source_change": "keep", "source_hash": "", "pipeline": "default<O3>",
//               "knobs": {"unroll-count": "4"}, "requires": []}]}
//
// A rule with a choice (common/choice/choice_model.h) has "requires": ["choice"] and its parts as
// "choice": ["choice 1", "clang 19", ...].
//
// Needed are format, target, sequence, compiler, rules, and of a rule source and pipeline. Reading
// is strict: an unknown key is an error. `requires` names features that a reader must know to
// apply a rule rightly (on the document: any of its rules); what a reader does not know disables
// only those rules, with a warning, and their keys are then not checked. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"
#include "common/json/object_reader.h"
#include "common/policy/policy.h"

namespace hone {

struct ParsedPolicy {
  Policy policy;
  std::vector<std::string> warnings;  // for people: which rules were disabled and why
};

// unsupported for another format; invalid_argument names every bad field. Whether the rules are
// allowed is compile_index's and check_decision's business.
Result<ParsedPolicy> policy_from_json(const Json& document);
Result<ParsedPolicy> parse_policy(std::string_view text);

// A document with every key written out, so that equal policies give equal documents.
Json policy_to_json(const Policy& policy);
// The same as text for people.
std::string print_policy(const Policy& policy);

// One rule as it stands in a document, for messages that hold rules (common/protocol/rules.h).
// `requires` is not looked at: a message's sender and reader agreed on its version.
Json rule_to_json(const Rule& rule);
Rule read_rule(ObjectReader& reader);

// SHA-256 of the canonical JSON (compact, sorted keys), 64 hexadecimal digits. Of a document as it
// came: disabled rules count too.
std::string policy_content_hash(const Json& document);
std::string policy_content_hash(const Policy& policy);

}  // namespace hone
