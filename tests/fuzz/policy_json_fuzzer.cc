// Fuzzes the reader of policy documents: what it accepts is written and read again as the same, and
// what compiles to an index is found in it.
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/policy/index.h"
#include "common/policy/policy_json.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const hone::Result<hone::ParsedPolicy> parsed = hone::parse_policy(text);
  if (!parsed.has_value()) {
    FUZZ_CHECK(!parsed.error().message.empty());
    return 0;
  }
  const hone::Policy& policy = parsed->policy;
  const hone::Result<hone::ParsedPolicy> again =
      hone::policy_from_json(hone::policy_to_json(policy));
  FUZZ_CHECK(again.has_value() && again->policy == policy);
  const hone::Result<std::string> bytes = hone::compile_index(policy);
  if (!bytes.has_value()) {
    return 0;
  }
  const hone::Result<hone::PolicyIndex> index = hone::PolicyIndex::from_bytes(*bytes);
  FUZZ_CHECK(index.has_value() && index->rule_count() == policy.rules.size());
  FUZZ_CHECK(index->expires_at() == policy.expires_at && index->sequence() == policy.sequence);
  for (const hone::Rule& rule : policy.rules) {
    const auto found =
        index->find({rule.source, rule.output, rule.option_fingerprint, rule.levels.front(),
                     policy.compiler.family, policy.compiler.major});
    // A pattern matches itself, so some rule is found.
    FUZZ_CHECK(found.has_value() && found->has_value());
  }
  return 0;
}
