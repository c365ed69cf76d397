#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class PolicyStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
  }
  PolicyStore& policies() { return store->policies(); }
  NewPolicy policy(const std::string& mark, Promotion promotion = Promotion::leave) {
    NewPolicy made;
    made.target = "lz4";
    made.document = R"({"rules": [], "provenance": ")" + mark + "\"}";
    made.created_by = token;
    made.promotion = promotion;
    return made;
  }
  NewPolicy signed_policy(std::int64_t sequence) {
    NewPolicy made = policy("");
    // Not canonical: the bytes must stay as they were signed.
    made.document = "{ \"sequence\" :  " + std::to_string(sequence) + ", \"a\": 1}";
    made.signature = "c2lnbmVk";
    return made;
  }
};

TEST_F(PolicyStoreTest, VersionsAndSequencesCountUp) {
  const PolicyVersion first = get(policies().publish(policy("one")));
  const PolicyVersion second = get(policies().publish(policy("two")));
  EXPECT_EQ(first.version, 1);
  EXPECT_EQ(second.version, 2);
  EXPECT_GT(second.sequence, first.sequence);
  EXPECT_EQ(first.created_by, "tester");
  EXPECT_FALSE(first.promoted);
  EXPECT_FALSE(first.is_signed);
  const PolicyDocument document = get(policies().find_version("lz4", 2));
  const Result<Json> parsed = parse_json(document.document);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->at("sequence").get<std::int64_t>(), second.sequence);
  EXPECT_EQ(parsed->at("provenance").get<std::string>(), "two");
  EXPECT_EQ(document.document, dump_json(*parsed));
  EXPECT_EQ(document.version.sha256, sha256_hex(document.document));
}

TEST_F(PolicyStoreTest, ConcurrentPublicationsGetNumbersOfTheirOwn) {
  int left = 6;
  for (int i = 0; i < 6; ++i) {
    boost::asio::co_spawn(context, policies().publish(policy("p", Promotion::promote)),
                          [&](std::exception_ptr, Result<PolicyVersion> version) {
                            EXPECT_TRUE(version) << version.error().describe();
                            --left;
                          });
  }
  context.restart();
  while (left > 0 && context.run_one() > 0) {
  }
  EXPECT_EQ(get(policies().versions("lz4")).size(), 6U);
  EXPECT_EQ(sql("SELECT count(DISTINCT sequence) FROM policies"), "6");
  EXPECT_EQ(sql("SELECT count(*) FROM policies WHERE promoted"), "1");
}

TEST_F(PolicyStoreTest, PromotionMovesForwardOnly) {
  EXPECT_EQ(error_of(policies().find_promoted("lz4")).code, ErrorCode::not_found);
  get(policies().publish(policy("one", Promotion::promote)));
  get(policies().publish(policy("two")));
  EXPECT_EQ(get(policies().find_promoted("lz4")).version.version, 1);
  EXPECT_TRUE(get(policies().promote("lz4", 2)).promoted);
  EXPECT_EQ(get(policies().find_promoted("lz4")).version.version, 2);
  EXPECT_TRUE(get(policies().promote("lz4", 2)).promoted);
  EXPECT_EQ(error_of(policies().promote("lz4", 1)).code, ErrorCode::conflict);
  EXPECT_EQ(error_of(policies().promote("lz4", 9)).code, ErrorCode::not_found);
}

TEST_F(PolicyStoreTest, RollingBackIsANewVersionWithTheOldRules) {
  get(policies().publish(policy("one", Promotion::promote)));
  const PolicyVersion second = get(policies().publish(policy("two", Promotion::promote)));
  const PolicyVersion back = get(policies().rollback("lz4", 1, token));
  EXPECT_EQ(back.version, 3);
  EXPECT_TRUE(back.promoted);
  EXPECT_GT(back.sequence, second.sequence);
  const PolicyDocument now = get(policies().find_promoted("lz4"));
  EXPECT_NE(now.document.find("\"one\""), std::string::npos);
  EXPECT_EQ(error_of(policies().rollback("lz4", 9, token)).code, ErrorCode::not_found);
}

TEST_F(PolicyStoreTest, ASignedDocumentStaysByteForByte) {
  const NewPolicy made = signed_policy(7);
  const PolicyVersion version = get(policies().publish(made));
  EXPECT_EQ(version.sequence, 7);
  EXPECT_TRUE(version.is_signed);
  const PolicyDocument stored = get(policies().find_version("lz4", 1));
  EXPECT_EQ(stored.document, made.document);
  EXPECT_EQ(stored.signature, made.signature);
  NewPolicy other = signed_policy(7);
  other.document = R"({"sequence": 7, "a": 2})";
  EXPECT_EQ(error_of(policies().publish(other)).code, ErrorCode::conflict);
  EXPECT_EQ(error_of(policies().rollback("lz4", 1, token)).code, ErrorCode::conflict);
  EXPECT_EQ(get(policies().publish(policy("next"))).sequence, 8);
}

TEST_F(PolicyStoreTest, ASignedDocumentIsPublishedOnce) {
  const PolicyVersion first = get(policies().publish(signed_policy(7)));
  EXPECT_FALSE(first.known);
  const PolicyVersion again = get(policies().publish(signed_policy(7)));
  EXPECT_TRUE(again.known);
  EXPECT_EQ(again.version, first.version);
  EXPECT_EQ(get(policies().versions("lz4")).size(), 1U);
  NewPolicy other = signed_policy(7);
  other.signature = "b3RoZXJz";
  const Error refused = error_of(policies().publish(other));
  EXPECT_EQ(refused.code, ErrorCode::conflict);
  EXPECT_NE(refused.message.find("hone policy attach lz4 1"), std::string::npos) << refused.message;
  other.document = R"({"sequence": 7, "a": 2})";
  EXPECT_NE(error_of(policies().publish(other)).message.find("one from 8 on"), std::string::npos);
}

TEST_F(PolicyStoreTest, WhatWasPublishedUnsignedIsSignedByPublishingItAgain) {
  const PolicyVersion first = get(policies().publish(policy("one")));
  NewPolicy again = policy("");
  again.document = get(policies().find_version("lz4", first.version)).document;
  again.signature = "c2lnbmVk";
  const PolicyVersion made = get(policies().publish(again));
  EXPECT_TRUE(made.known && made.is_signed);
  EXPECT_EQ(made.version, first.version);
  EXPECT_EQ(get(policies().find_version("lz4", first.version)).signature, "c2lnbmVk");
  // What is in force is another thing: its signature is verified first.
  const PolicyVersion second = get(policies().publish(policy("two", Promotion::promote)));
  again.document = get(policies().find_version("lz4", second.version)).document;
  EXPECT_EQ(error_of(policies().publish(again)).code, ErrorCode::conflict);
}

// Machines may have seen what was published after the backup was made.
TEST_F(PolicyStoreTest, ARestoreLeavesAGapInTheNumbersOfEveryTarget) {
  add_target("later");
  add_target("high");
  get(policies().publish(policy("one", Promotion::promote)));
  NewPolicy high = signed_policy(5'000'000'000);
  high.target = "high";
  get(policies().publish(high));
  done(policies().leave_gap(1'000'000));
  const PolicyVersion next = get(policies().publish(policy("two", Promotion::promote)));
  EXPECT_EQ(next.version, 2);
  EXPECT_EQ(next.sequence, 1'000'002);
  EXPECT_EQ(get(policies().publish(policy("three"))).sequence, 1'000'003);
  NewPolicy first = policy("one");
  first.target = "later";
  EXPECT_EQ(get(policies().publish(first)).sequence, 1'000'001);
  first.target = "high";
  EXPECT_EQ(get(policies().publish(first)).sequence, 5'001'000'001);
  // Another restore, of a backup from after the first.
  done(policies().leave_gap(1'500'000));
  EXPECT_EQ(get(policies().publish(policy("four"))).sequence, 2'500'004);
  EXPECT_EQ(get(policies().rollback("lz4", 1, token)).sequence, 2'500'005);
}

TEST_F(PolicyStoreTest, ASignedNumberFromBeforeARestoreIsRefused) {
  get(policies().publish(signed_policy(7)));
  done(policies().leave_gap(1'000));
  const Error refused = error_of(policies().publish(signed_policy(1'007)));
  EXPECT_EQ(refused.code, ErrorCode::conflict);
  EXPECT_NE(refused.message.find("1007 before its database was restored"), std::string::npos)
      << refused.message;
  EXPECT_EQ(get(policies().publish(signed_policy(1'008))).sequence, 1'008);
}

TEST_F(PolicyStoreTest, WhatIsInForceIsPublishedAgainAfterARestore) {
  for (const char* target : {"canary", "empty", "signed", "wanted"}) {
    add_target(target);
  }
  get(policies().publish(policy("one", Promotion::promote)));
  get(policies().publish(policy("a proposal")));
  const auto publish = [&](NewPolicy made, const std::string& target) {
    made.target = target;
    made.promotion = Promotion::promote;
    get(policies().publish(std::move(made)));
  };
  publish(signed_policy(7), "signed");
  publish(policy("two"), "wanted");
  done(store->policy_keys().require_signatures("wanted", true));
  publish(policy("three"), "canary");
  sql("INSERT INTO canaries (target, policy_version, spec, service) "
      "SELECT p.target, p.version, '{}', '{}' FROM policies p JOIN targets t ON t.number = "
      "p.target WHERE t.name = 'canary'");
  done(policies().leave_gap(1'000));
  using End = RestoredPolicy::End;
  const std::vector<RestoredPolicy> all = get(policies().number_anew(token));
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].target, "canary");
  EXPECT_EQ(all[0].end, End::has_canary);
  EXPECT_EQ(all[0].canary, sql("SELECT id FROM canaries"));
  EXPECT_EQ(all[1].target, "lz4");
  EXPECT_EQ(all[1].end, End::published);
  EXPECT_EQ(all[1].version, 1);
  EXPECT_EQ(all[1].sequence, 1'003) << "behind the gap of 1000 and the two of before";
  EXPECT_EQ(all[2].end, End::wants_signature);
  EXPECT_EQ(all[2].sequence, 1'008) << "the lowest that it may be signed with";
  EXPECT_EQ(all[3].end, End::wants_signature);
  const PolicyDocument now = get(policies().find_promoted("lz4"));
  EXPECT_EQ(now.version.version, 3);
  EXPECT_EQ(now.version.sequence, 1'003);
  EXPECT_NE(now.document.find("\"one\""), std::string::npos);
  for (const char* target : {"signed", "wanted", "canary"}) {
    EXPECT_EQ(get(policies().find_promoted(target)).version.version, 1) << target;
  }
  EXPECT_EQ(get(policies().publish(signed_policy(1'008))).sequence, 1'008);
}

// The clock of the machine that it is restored on is behind.
TEST_F(PolicyStoreTest, PoliciesOfTheBackupAreThoseOfBeforeWhateverTheClockSays) {
  get(policies().publish(signed_policy(500)));
  sql("UPDATE policies SET created_at = now() + interval '1 day'");
  done(policies().leave_gap(10));
  EXPECT_EQ(get(policies().publish(policy("next"))).sequence, 511);
}

TEST_F(PolicyStoreTest, RefusesWhatIsNoPolicy) {
  for (const char* document : {"[]", "nonsense", "\"x\""}) {
    NewPolicy made = policy("x");
    made.document = document;
    EXPECT_EQ(error_of(policies().publish(made)).code, ErrorCode::invalid_argument) << document;
  }
  for (const char* sequence :
       {"0", "-1", "1.5", "\"1\"", "18446744073709551615", "4503599627370497"}) {
    NewPolicy made = signed_policy(1);
    made.document = std::string("{\"sequence\":") + sequence + "}";
    EXPECT_EQ(error_of(policies().publish(made)).code, ErrorCode::invalid_argument) << sequence;
  }
  NewPolicy made = policy("x");
  made.target = "unknown";
  EXPECT_EQ(error_of(policies().publish(made)).code, ErrorCode::not_found);
  EXPECT_EQ(error_of(policies().versions("unknown")).code, ErrorCode::not_found);
  EXPECT_TRUE(get(policies().versions("lz4")).empty());
}

}  // namespace
}  // namespace hone::test
