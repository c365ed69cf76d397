#include "build_integration/cli/installed_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/policy/index.h"
#include "common/policy/signature.h"

namespace hone {
namespace {

using testing::HasSubstr;

class InstalledPolicyTest : public testing::Test {
 protected:
  InstalledPolicyTest() {
    EXPECT_TRUE(write_file_atomically(trust_.public_keys[0], keys_.public_pem).has_value());
  }

  Json document(std::uint64_t sequence) const {
    Policy policy;
    policy.target = "lz4";
    policy.sequence = sequence;
    policy.rules.emplace_back();
    policy.rules.back().source = "lib/a.c";
    policy.rules.back().decision.pipeline = "function(gvn)";
    return policy_to_json(policy);
  }
  SignedPolicy signed_with(const Json& json) const {
    return {json, *sign_policy(json, keys_.secret_pem)};
  }
  Result<Installation> install(const SignedPolicy& policy) const {
    return install_policy(policy, trust_, "lz4", place_);
  }
  std::uint64_t installed_sequence() const {
    const Result<PolicyIndex> index = PolicyIndex::open(place_.index);
    return index.has_value() ? index->sequence() : 0;
  }
  void expect_refused(const SignedPolicy& policy, ErrorCode code) const {
    const Result<Installation> done = install(policy);
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code, code) << done.error().message;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("installed");
  KeyPair keys_ = *generate_key_pair();
  Trust trust_{{folder_.path() / "key.pub"}, false};
  PolicyPlace place_{folder_.path() / "lz4.policy",
                     folder_.path() / "lz4.policy.json",
                     folder_.path() / "decisions",
                     {"lib/a.c", "lib/b.c"}};
};

TEST_F(InstalledPolicyTest, WritesIndexDocumentSequenceAndDecisions) {
  const Result<Installation> done = install(signed_with(document(3)));
  ASSERT_TRUE(done.has_value()) << done.error().describe();
  EXPECT_TRUE(done->changed);
  EXPECT_EQ(done->decisions_changed, 2U);
  EXPECT_EQ(installed_sequence(), 3U);
  EXPECT_EQ(*read_file(place_.index.string() + ".seen", 100), "lz4 3\n");
  EXPECT_EQ(read_policy_file(place_.document)->document, document(3));
  EXPECT_EQ(PolicyIndex::open(place_.decisions / "lib/a.c.hone")->rule_count(), 1U);
}

TEST_F(InstalledPolicyTest, SamePolicyAgainTouchesNothing) {
  ASSERT_TRUE(install(signed_with(document(3))).has_value());
  const auto before = std::filesystem::last_write_time(place_.index);
  const Result<Installation> again = install(signed_with(document(3)));
  EXPECT_FALSE(again->changed);
  EXPECT_EQ(again->decisions_changed, 0U);
  EXPECT_EQ(std::filesystem::last_write_time(place_.index), before);
}

TEST_F(InstalledPolicyTest, AnotherPolicyWithTheSameSequenceIsRefused) {
  ASSERT_TRUE(install(signed_with(document(3))).has_value());
  Json other = document(3);
  other["rules"][0]["source"] = "lib/b.c";
  const Result<Installation> done = install(signed_with(other));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::conflict);
  EXPECT_THAT(done.error().message, HasSubstr("sequence 3"));
  EXPECT_EQ(read_policy_file(place_.document)->document, document(3));
  other["sequence"] = 4;
  EXPECT_TRUE(install(signed_with(other)).has_value());
}

// A run that ended between noting the number and writing the document.
TEST_F(InstalledPolicyTest, AnInstallationThatWasCutShortIsGoneOnWith) {
  ASSERT_TRUE(install(signed_with(document(3))).has_value());
  ASSERT_TRUE(write_file_atomically(place_.index.string() + ".seen", "lz4 4\n").has_value());
  ASSERT_TRUE(install(signed_with(document(4))).has_value());
  EXPECT_EQ(installed_sequence(), 4U);
}

TEST_F(InstalledPolicyTest, OlderSequenceIsRefusedEvenWithoutTheIndex) {
  ASSERT_TRUE(install(signed_with(document(3))).has_value());
  expect_refused(signed_with(document(2)), ErrorCode::expired);
  EXPECT_EQ(installed_sequence(), 3U);
  std::filesystem::remove(place_.index);
  expect_refused(signed_with(document(2)), ErrorCode::expired);
  EXPECT_FALSE(std::filesystem::exists(place_.index));
  EXPECT_TRUE(install(signed_with(document(4))).has_value());
}

TEST_F(InstalledPolicyTest, OneKeyIsFollowedByTheNextAndNothingOldIsReplayed) {
  const KeyPair next = *generate_key_pair();
  const auto by_next = [&](std::uint64_t sequence) {
    return SignedPolicy{document(sequence), *sign_policy(document(sequence), next.secret_pem)};
  };
  expect_refused(by_next(3), ErrorCode::permission_denied);
  trust_.public_keys.push_back(folder_.path() / "next.pub");
  ASSERT_TRUE(write_file_atomically(trust_.public_keys[1], next.public_pem).has_value());
  const SignedPolicy old = signed_with(document(3));
  ASSERT_TRUE(install(old).has_value());
  ASSERT_TRUE(install(by_next(4)).has_value());
  // Its signature is as good as ever.
  expect_refused(old, ErrorCode::expired);
  EXPECT_EQ(installed_sequence(), 4U);
  // A build that pins the next one alone takes no new policy of the old one.
  trust_.public_keys.erase(trust_.public_keys.begin());
  expect_refused(signed_with(document(5)), ErrorCode::permission_denied);
  ASSERT_TRUE(install(by_next(5)).has_value());
}

TEST_F(InstalledPolicyTest, WrongSignatureLeavesEverything) {
  ASSERT_TRUE(install(signed_with(document(3))).has_value());
  SignedPolicy other = signed_with(document(4));
  other.document["sequence"] = 5;
  expect_refused(other, ErrorCode::permission_denied);
  EXPECT_EQ(installed_sequence(), 3U);
  EXPECT_EQ(*read_file(place_.index.string() + ".seen", 100), "lz4 3\n");
}

TEST_F(InstalledPolicyTest, PolicyOfAnotherTargetIsRefused) {
  Json json = document(3);
  json["target"] = "zlib";
  expect_refused(signed_with(json), ErrorCode::permission_denied);
  EXPECT_EQ(installed_sequence(), 0U);
}

TEST_F(InstalledPolicyTest, UnknownFormatIsRefused) {
  Json json = document(3);
  json["format"] = 2;
  expect_refused(signed_with(json), ErrorCode::unsupported);
}

TEST_F(InstalledPolicyTest, UnsupportedRequirementDisablesItsRuleOnlyAndSaysSo) {
  Json json = document(3);
  Json second = json["rules"][0];
  second["source"] = "lib/b.c";
  second["requires"] = {"telepathy"};
  second["telepathy_level"] = 9;
  json["rules"].push_back(second);
  const Result<Installation> done = install(signed_with(json));
  ASSERT_TRUE(done.has_value()) << done.error().describe();
  EXPECT_EQ(done->rules, 1U);
  EXPECT_THAT(done->warnings, testing::ElementsAre(HasSubstr("telepathy")));
  EXPECT_EQ(PolicyIndex::open(place_.decisions / "lib/a.c.hone")->rule_count(), 1U);
  EXPECT_EQ(PolicyIndex::open(place_.decisions / "lib/b.c.hone")->rule_count(), 0U);
}

TEST_F(InstalledPolicyTest, ExpiryReachesTheIndexAndThePerson) {
  Json json = document(3);
  json["expires_at"] = "2001-09-09T01:46:40Z";
  const Result<Installation> done = install(signed_with(json));
  EXPECT_EQ(PolicyIndex::open(place_.index)->expires_at(), 1'000'000'000);
  EXPECT_THAT(done->warnings, testing::ElementsAre(HasSubstr("2001-09-09")));
}

TEST_F(InstalledPolicyTest, DamagedSequenceRecordIsNotPassedOver) {
  ASSERT_TRUE(write_file_atomically(place_.index.string() + ".seen", "lz4 x\n").has_value());
  expect_refused(signed_with(document(3)), ErrorCode::invalid_argument);
}

TEST_F(InstalledPolicyTest, KeptPolicyGivesNewSourcesTheirDecision) {
  ASSERT_TRUE(install(signed_with(document(3))).has_value());
  place_.sources = {"lib/a.c", "lib/new.c"};
  const Result<std::optional<Installation>> kept = keep_policy(trust_, place_);
  ASSERT_TRUE(kept.has_value() && kept->has_value());
  EXPECT_EQ((*kept)->sequence, 3U);
  EXPECT_EQ((*kept)->decisions_changed, 1U);
  EXPECT_EQ(PolicyIndex::open(place_.decisions / "lib/a.c.hone")->rule_count(), 1U);
  EXPECT_EQ(PolicyIndex::open(place_.decisions / "lib/new.c.hone")->rule_count(), 0U);
}

TEST_F(InstalledPolicyTest, KeepingNothingGivesPlainDecisions) {
  const Result<std::optional<Installation>> kept = keep_policy(trust_, place_);
  ASSERT_TRUE(kept.has_value());
  EXPECT_FALSE(kept->has_value());
  EXPECT_EQ(PolicyIndex::open(place_.decisions / "lib/a.c.hone")->rule_count(), 0U);
}

TEST_F(InstalledPolicyTest, KeptPolicyWithATamperedDocumentWritesNoDecisions) {
  ASSERT_TRUE(install(signed_with(document(3))).has_value());
  SignedPolicy tampered = signed_with(document(3));
  tampered.document["rules"][0]["source"] = "*";
  ASSERT_TRUE(write_file_atomically(place_.document, print_signed_policy(tampered)).has_value());
  place_.sources = {"lib/new.c"};
  const Result<std::optional<Installation>> kept = keep_policy(trust_, place_);
  ASSERT_TRUE(kept.has_value() && kept->has_value());
  EXPECT_THAT((*kept)->warnings, testing::ElementsAre(HasSubstr("no decision file")));
  EXPECT_FALSE(std::filesystem::exists(place_.decisions / "lib/new.c.hone"));
}

}  // namespace
}  // namespace hone
