// Fuzzes what decision files hold: whatever the policy, its index and the decision file of a source
// decide the same for every compile of that source. The input chooses rules of a small world, where
// patterns overlap often.
#include <array>
#include <string>

#include "common/policy/governing_rules.h"
#include "common/policy/index.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/input_bytes.h"

namespace hone {
namespace {

constexpr std::array kSources = {"a.c", "src/a.c", "src/b.cc", "b?c", "src/*"};
constexpr std::array kPatterns = {"*", "a.c", "src/*", "*/a.c", "?.c", "src/b.cc", "*.cc", "b?c"};
constexpr std::array kOutputs = {"", "*.o", "a.o", "*pic*", "?.pic.o"};
constexpr std::array kLevels = {"O1", "O2", "O3", "Os", "Oz"};
constexpr std::array kPipelines = {"default<O3>", "default<Oz>", "function(gvn)", "function(sroa)",
                                   "function(adce)"};
constexpr std::array kFingerprints = {"", "0123456789abcdef0123456789abcdef",
                                      "fedcba9876543210fedcba9876543210"};

Policy policy_of(InputBytes& input) {
  Policy policy;
  while (!input.empty() && policy.rules.size() < 16) {
    Rule rule;
    rule.source = kPatterns.at(input.below(kPatterns.size()));
    rule.output = kOutputs.at(input.below(kOutputs.size()));
    rule.option_fingerprint = kFingerprints.at(input.below(kFingerprints.size()));
    rule.decision.pipeline = kPipelines.at(input.below(kPipelines.size()));
    rule.levels.clear();
    const std::uint8_t levels = input.next();
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      if ((levels >> i & 1U) != 0) {
        rule.levels.emplace_back(kLevels.at(i));
      }
    }
    if (rule.levels.empty()) {
      rule.levels = {"O3"};
    }
    policy.rules.push_back(std::move(rule));
  }
  return policy;
}

// The pipeline decided on; "" for none, plain ones included: both give the same object.
std::string decided(const PolicyIndex& index, const CompileKey& key) {
  const Result<std::optional<IndexMatch>> found = index.find(key);
  FUZZ_CHECK(found.has_value());
  return found->has_value() && !is_plain((*found)->decision) ? (*found)->decision.pipeline : "";
}

PolicyIndex index_of(const Policy& policy) {
  const Result<std::string> bytes = compile_index(policy);
  FUZZ_CHECK(bytes.has_value());
  Result<PolicyIndex> index = PolicyIndex::from_bytes(*bytes);
  FUZZ_CHECK(index.has_value());
  return *std::move(index);
}

void check(const Policy& policy, std::string_view source) {
  Policy own;
  own.rules = governing_rules(policy, source);
  FUZZ_CHECK(own.rules.size() <= policy.rules.size());
  const PolicyIndex whole = index_of(policy);
  const PolicyIndex decision = index_of(own);
  for (const char* const level : kLevels) {
    for (const char* const output : {"a.o", "b.pic.o", "out/pic/a.o", "x"}) {
      for (const char* const fingerprint : kFingerprints) {
        const CompileKey key{source, output, fingerprint, level, "clang", 19};
        FUZZ_CHECK(decided(whole, key) == decided(decision, key));
      }
    }
  }
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hone::InputBytes input(data, size);
  const std::string source = hone::kSources.at(input.below(hone::kSources.size()));
  hone::check(hone::policy_of(input), source);
  return 0;
}
