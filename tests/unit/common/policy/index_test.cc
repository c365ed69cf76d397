#include "common/policy/index.h"

#include <chrono>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/policy/decision_hash.h"
#include "common/policy/index_format.h"

namespace hone {
namespace {

constexpr std::string_view kFingerprint = "0123456789abcdef0123456789abcdef";

Rule rule(std::string source, std::string pipeline = "function(sroa)") {
  Rule made;
  made.source = std::move(source);
  made.decision.pipeline = std::move(pipeline);
  return made;
}

Policy policy_of(std::vector<Rule> rules) {
  Policy policy;
  policy.rules = std::move(rules);
  return policy;
}

PolicyIndex index_of(const Policy& policy) {
  Result<std::string> bytes = compile_index(policy);
  EXPECT_TRUE(bytes.has_value()) << bytes.error().describe();
  Result<PolicyIndex> index = PolicyIndex::from_bytes(*std::move(bytes));
  EXPECT_TRUE(index.has_value()) << index.error().describe();
  return *std::move(index);
}

CompileKey key(std::string_view source, std::string_view level = "O3") {
  return {source, "out/x.o", kFingerprint, level, "clang", 19};
}

// The number of the rule that governs, -1 if none does.
int governing(const PolicyIndex& index, const CompileKey& compile) {
  const auto found = index.find(compile);
  EXPECT_TRUE(found.has_value()) << found.error().describe();
  return found->has_value() ? static_cast<int>((*found)->rule) : -1;
}

TEST(PolicyIndex, IsNotTouchedByAWriteInPlace) {
  const TemporaryFolder folder = *TemporaryFolder::create("index-test");
  const auto path = folder.path() / "policy.index";
  const std::string bytes = *compile_index(policy_of({rule("a.cc")}));
  ASSERT_TRUE(write_file_atomically(path, bytes));
  const Result<PolicyIndex> index = PolicyIndex::open(path);
  ASSERT_TRUE(index.has_value());
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(governing(*index, key("a.cc")), 0);
  // Half written, then whole but of two policies.
  std::filesystem::resize_file(path, bytes.size());
  EXPECT_FALSE(PolicyIndex::open(path).has_value());
  std::string mixed = bytes;
  mixed.back() ^= 1;
  ASSERT_TRUE(write_file_atomically(path, mixed));
  EXPECT_EQ(PolicyIndex::open(path).error().code, ErrorCode::invalid_argument);
}

TEST(PolicyIndex, KeepsAChoice) {
  Rule made = rule("*", "default<O3>");
  made.decision.choice =
      "choice 1|clang 19|features 1|member default<O3>|member function(gvn)|leaf 1";
  const PolicyIndex index = index_of(policy_of({rule("a.cc"), made}));
  const auto found = index.find(key("b.cc"));
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->decision, made.decision);
  EXPECT_EQ((*found)->decision_hash, *decision_hash(made.decision));
  made.decision.choice += "|leaf 7";
  const auto refused = compile_index(policy_of({made}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().fields.at(0).pointer, "/rules/0/pipeline");
}

TEST(PolicyIndex, FindsWhatWasCompiledIn) {
  Rule made = rule("src/a.cc", "function(sroa,gvn)");
  made.decision.knobs = {{"unroll-count", "4"}, {"inline-threshold", "100"}};
  made.on_source_change = OnSourceChange::plain;
  made.source_hash = "fedcba9876543210fedcba9876543210";
  Policy policy = policy_of({made});
  policy.sequence = 7;
  policy.expires_at = 99;
  policy.cpu_limit_seconds = 5;
  const PolicyIndex index = index_of(policy);
  const auto found = index.find(key("src/a.cc"));
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->decision, made.decision);
  EXPECT_EQ((*found)->decision_hash, *decision_hash(made.decision));
  EXPECT_EQ((*found)->on_source_change, OnSourceChange::plain);
  EXPECT_EQ((*found)->source_hash, made.source_hash);
  EXPECT_EQ(index.sequence(), 7U);
  EXPECT_EQ(index.expires_at(), 99);
  EXPECT_EQ(index.cpu_limit_seconds(), 5);
  EXPECT_EQ(index.rule_count(), 1U);
}

TEST(PolicyIndex, FirstRuleInThePolicysOrderGoverns) {
  const PolicyIndex exact_first = index_of(policy_of({rule("src/a.cc"), rule("src/*")}));
  EXPECT_EQ(governing(exact_first, key("src/a.cc")), 0);
  EXPECT_EQ(governing(exact_first, key("src/b.cc")), 1);
  const PolicyIndex glob_first =
      index_of(policy_of({rule("lib/*"), rule("src/*"), rule("src/a.cc"), rule("*")}));
  EXPECT_EQ(governing(glob_first, key("src/a.cc")), 1);
  EXPECT_EQ(governing(glob_first, key("other.cc")), 3);
}

TEST(PolicyIndex, RulesOfOneSourceAreTriedInOrder) {
  Rule first = rule("a.cc");
  first.output = "pic/*";
  Rule second = rule("a.cc");
  second.levels = {"Os"};
  const PolicyIndex index = index_of(policy_of({first, second, rule("a.cc")}));
  CompileKey compile = key("a.cc");
  EXPECT_EQ(governing(index, compile), 2);
  compile.output = "pic/a.o";
  EXPECT_EQ(governing(index, compile), 0);
  EXPECT_EQ(governing(index, key("a.cc", "Os")), 1);
}

TEST(PolicyIndex, EveryPartOfTheKeyCounts) {
  Rule made = rule("a.cc");
  made.option_fingerprint = kFingerprint;
  const PolicyIndex index = index_of(policy_of({made}));
  EXPECT_EQ(governing(index, key("a.cc")), 0);
  EXPECT_EQ(governing(index, key("a.c")), -1);
  EXPECT_EQ(governing(index, key("a.cc", "O2")), -1);
  EXPECT_EQ(governing(index, key("a.cc", "O0")), -1);
  CompileKey other = key("a.cc");
  other.compiler_major = 18;
  EXPECT_EQ(governing(index, other), -1);
  other = key("a.cc");
  other.compiler_family = "gcc";
  EXPECT_EQ(governing(index, other), -1);
  other = key("a.cc");
  other.option_fingerprint = "0123456789abcdef0123456789abcdee";
  EXPECT_EQ(governing(index, other), -1);
}

TEST(PolicyIndex, EmptyPolicyMatchesNothing) {
  EXPECT_EQ(governing(index_of(Policy{}), key("a.cc")), -1);
}

TEST(CompileIndex, NamesEveryBadRule) {
  Rule hashless = rule("b.cc");
  hashless.on_source_change = OnSourceChange::plain;
  Rule level = rule("c.cc");
  level.levels = {"O9"};
  Rule fingerprint = rule("d.cc");
  fingerprint.option_fingerprint = "xyz";
  const auto refused = compile_index(
      policy_of({rule("a.cc", "function(nonsense)"), hashless, level, fingerprint, rule("")}));
  ASSERT_FALSE(refused.has_value());
  std::vector<std::string> pointers;
  for (const FieldProblem& problem : refused.error().fields) {
    pointers.push_back(problem.pointer);
  }
  EXPECT_EQ(pointers,
            (std::vector<std::string>{"/rules/0/pipeline", "/rules/1/source_hash",
                                      "/rules/2/levels", "/rules/3/options", "/rules/4/source"}));
}

TEST(CompileIndex, EqualPoliciesGiveEqualBytes) {
  const Policy policy = policy_of({rule("a.cc"), rule("*", "function(gvn)")});
  EXPECT_EQ(*compile_index(policy), *compile_index(policy));
}

TEST(PolicyIndex, OpenRefusesWhatIsNoIndex) {
  const TemporaryFolder folder = *TemporaryFolder::create("index-test");
  EXPECT_EQ(PolicyIndex::open(folder.path() / "none").error().code, ErrorCode::not_found);
  EXPECT_FALSE(PolicyIndex::open(folder.path()).has_value());
  ASSERT_TRUE(write_file_atomically(folder.path() / "text", std::string(5000, 'x')));
  EXPECT_EQ(PolicyIndex::open(folder.path() / "text").error().code, ErrorCode::invalid_argument);
  ASSERT_TRUE(write_file_atomically(folder.path() / "good", *compile_index(Policy{})));
  EXPECT_TRUE(PolicyIndex::open(folder.path() / "good").has_value());
}

Policy varied_policy() {
  std::vector<Rule> rules;
  for (int i = 0; i < 20; ++i) {
    rules.push_back(rule("src/file" + std::to_string(i) + ".cc"));
    rules.back().decision.knobs = {{"unroll-count", "4"}};
    rules.push_back(rule("lib" + std::to_string(i) + "/*", "function(gvn)"));
  }
  return policy_of(rules);
}

// Looks up everything there is in bytes that may be damaged; nothing may crash.
void exercise(std::string bytes) {
  const Result<PolicyIndex> index = PolicyIndex::from_bytes(std::move(bytes));
  if (!index.has_value()) {
    return;
  }
  for (const char* source : {"src/file0.cc", "src/file19.cc", "lib7/x.cc", "none.cc", ""}) {
    (void)index->find(key(source));
  }
}

// What an attacker does that accident does not: making the checksum right again.
void seal(std::string& bytes) {
  if (bytes.size() < sizeof(index_format::Header)) {
    return;
  }
  const Hash128 checksum = hash128(std::string_view(bytes).substr(index_format::kChecksumEnd));
  std::memcpy(bytes.data() + 16, &checksum.low, 8);
  std::memcpy(bytes.data() + 24, &checksum.high, 8);
}

TEST(PolicyIndex, EveryFlippedByteIsNoticed) {
  const std::string good = *compile_index(varied_policy());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    EXPECT_FALSE(PolicyIndex::from_bytes(bad).has_value()) << "byte " << i;
  }
}

TEST(PolicyIndex, EveryCutIsNoticed) {
  const std::string good = *compile_index(varied_policy());
  for (std::size_t size = 0; size < good.size(); size += 7) {
    EXPECT_FALSE(PolicyIndex::from_bytes(good.substr(0, size)).has_value()) << size;
  }
}

TEST(PolicyIndex, HostileBytesWithARightChecksumCrashNothing) {
  const std::string good = *compile_index(varied_policy());
  std::mt19937_64 random(20261127);  // the same bytes every time
  for (int round = 0; round < 20000; ++round) {
    std::string bad = good;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      const std::size_t at = 32 + random() % (bad.size() - 32);
      const std::uint32_t values[] = {0, 1, 0x7fffffff, 0xffffffff,
                                      static_cast<std::uint32_t>(random())};
      const std::uint32_t value = values[random() % 5];
      std::memcpy(bad.data() + (at & ~std::size_t{3}), &value,
                  std::min<std::size_t>(4, bad.size() - (at & ~std::size_t{3})));
    }
    if (random() % 8 == 0) {
      bad.resize(random() % bad.size());
    }
    seal(bad);
    exercise(std::move(bad));
  }
}

TEST(PolicyIndex, ALoopInABucketEnds) {
  std::string bad = *compile_index(policy_of({rule("a.cc"), rule("b.cc")}));
  // Both rules' `next` lead to the first rule.
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint32_t first = 1;
    std::memcpy(bad.data() + sizeof(index_format::Header) + i * sizeof(index_format::RuleRecord) +
                    offsetof(index_format::RuleRecord, next),
                &first, 4);
  }
  seal(bad);
  Result<PolicyIndex> index = PolicyIndex::from_bytes(bad);
  ASSERT_TRUE(index.has_value());
  for (const char* source : {"a.cc", "b.cc", "c.cc", "d.cc", "e.cc"}) {
    (void)index->find(key(source));  // an error or an answer, but an end
  }
}

TEST(PolicyIndex, LooksUpInTenThousandRulesInMicroseconds) {
  std::vector<Rule> rules;
  for (int i = 0; i < 9000; ++i) {
    rules.push_back(
        rule("src/component" + std::to_string(i % 90) + "/file" + std::to_string(i) + ".cc"));
  }
  for (int i = 0; i < 1000; ++i) {
    rules.push_back(rule("generated/part" + std::to_string(i) + "/*.cc"));
  }
  const TemporaryFolder folder = *TemporaryFolder::create("index-test");
  const auto path = folder.path() / "policy.idx";
  ASSERT_TRUE(write_file_atomically(path, *compile_index(policy_of(rules))));
  using std::chrono::steady_clock;
  auto best = steady_clock::duration::max();
  for (int round = 0; round < 30; ++round) {
    const auto begin = steady_clock::now();
    const PolicyIndex index = *PolicyIndex::open(path);
    ASSERT_EQ(governing(index, key("src/component9/file8999.cc")), -1);  // 8999 % 90 is 89
    ASSERT_EQ(governing(index, key("src/component89/file8999.cc")), 8999);
    ASSERT_EQ(governing(index, key("generated/part999/x.cc")), 9999);
    best = std::min(best, steady_clock::now() - begin);
  }
  // Opening with its checksum and three look-ups, unoptimised build and busy machine included.
  EXPECT_LT(best, std::chrono::milliseconds(3));
}

}  // namespace
}  // namespace hone
