// Tokens with limits, the audit log and policy keys, as the store keeps them.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/policy/signature.h"
#include "server/store/audited_store.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class TokenLimitsTest : public StoreTest {};
class AuditStoreTest : public StoreTest {};
class PolicyKeyStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
  }
  NewPolicyKey key(const std::string& name, const KeyPair& pair, const std::string& target = "") {
    NewPolicyKey made;
    made.name = name;
    made.target = target;
    made.public_key = pair.public_pem;
    return made;
  }
  // A version that this key signed, with the sequence; gives its number.
  std::int64_t publish(std::int64_t sequence, const KeyPair& pair) {
    const Json document{{"format", 1}, {"sequence", sequence}, {"target", "lz4"}};
    NewPolicy policy;
    policy.target = "lz4";
    policy.document = dump_json(document);
    policy.signature = *sign_policy(document, pair.secret_pem);
    return get(store->policies().publish(std::move(policy))).version;
  }
};

TEST_F(TokenLimitsTest, TokensOfBeforeCountForAllTargets) {
  const NewToken made = get(store->tokens().create("old", Role::submitter));
  EXPECT_EQ(get(store->tokens().authenticate(made.secret)).grants, std::nullopt);
  // As an earlier release asks for it.
  EXPECT_EQ(sql("SELECT count(*) FROM tokens WHERE secret_sha256 = '" + sha256_hex(made.secret) +
                "' AND revoked_at IS NULL"),
            "1");
}

TEST_F(TokenLimitsTest, AnEarlierReleaseDoesNotKnowALimitedOne) {
  TokenScope confined;
  confined.grants = TargetGrants{{"lz4", {TargetRight::submit}}};
  TokenScope short_lived;
  short_lived.expires_in_s = 60;
  for (const TokenScope& scope : {confined, short_lived}) {
    const NewToken made =
        get(store->tokens().create(scope.grants ? "confined" : "short", Role::submitter, scope));
    EXPECT_EQ(
        sql("SELECT count(*) FROM tokens WHERE secret_sha256 = '" + sha256_hex(made.secret) + "'"),
        "0");
    const TokenView known = get(store->tokens().authenticate(made.secret));
    EXPECT_EQ(known.id, made.view.id);
    EXPECT_EQ(known.grants.has_value(), scope.grants.has_value());
    if (known.grants) {
      // Who may submit may read.
      EXPECT_TRUE(known.grants->at("lz4").contains(TargetRight::read));
      EXPECT_TRUE(known.grants->at("lz4").contains(TargetRight::submit));
      EXPECT_FALSE(known.grants->at("lz4").contains(TargetRight::define));
    }
  }
}

TEST_F(TokenLimitsTest, OneThatIsOverIsRefusedAndShown) {
  TokenScope scope;
  scope.expires_in_s = 60;
  const NewToken made = get(store->tokens().create("short", Role::admin, scope));
  EXPECT_GT(made.view.expires_ms, 0);
  EXPECT_FALSE(made.view.expired);
  sql("UPDATE tokens SET expires_at = now() - interval '1 second' WHERE name = 'short'");
  const Error over = error_of(store->tokens().authenticate(made.secret));
  EXPECT_EQ(over.code, ErrorCode::unauthenticated);
  EXPECT_NE(over.message.find("the token 'short' expired at"), std::string::npos) << over.message;
  const Error unknown = error_of(store->tokens().authenticate(TokenStore::make_secret()));
  EXPECT_EQ(unknown.message.find("expired"), std::string::npos) << unknown.message;
  EXPECT_EQ(error_of(store->tokens().rotate(made.view.id, 0)).code, ErrorCode::conflict)
      << "another secret would be refused, too";
  EXPECT_TRUE(get(store->tokens().find("short")).expired);
  EXPECT_EQ(error_of(store->tokens().revoke(token)).code, ErrorCode::conflict)
      << "the other one is over";
  sql("UPDATE tokens SET expires_at = now() WHERE role = 'admin'");
  EXPECT_FALSE(get(store->tokens().has_admin()));
  done(store->tokens().revoke(made.view.id));
}

TEST_F(TokenLimitsTest, ASecretIsOfAGeneration) {
  const NewToken first = get(store->tokens().create("rotating", Role::viewer));
  const std::string generation = first.view.generation;
  EXPECT_EQ(get(store->tokens().authenticate(first.secret)).shown, generation);
  const NewToken second = get(store->tokens().rotate(first.view.id, 60));
  EXPECT_NE(second.view.generation, generation);
  EXPECT_EQ(second.view.old_generation, generation);
  EXPECT_GT(second.view.old_until_ms, 0);
  EXPECT_EQ(get(store->tokens().authenticate(first.secret)).shown, generation);
  EXPECT_EQ(get(store->tokens().authenticate(second.secret)).shown, second.view.generation);
  const NewToken third = get(store->tokens().rotate(first.view.id, 0));
  EXPECT_EQ(third.view.old_generation, "");
  EXPECT_EQ(third.view.old_until_ms, 0);
}

TEST_F(TokenLimitsTest, ThoseThatAreNotGoodAreTold) {
  TokenScope scope;
  scope.expires_in_s = 60;
  const std::string good = get(store->tokens().create("good", Role::viewer)).view.id;
  const std::string over = get(store->tokens().create("over", Role::viewer, scope)).view.id;
  const std::string revoked = get(store->tokens().create("revoked", Role::viewer)).view.id;
  sql("UPDATE tokens SET expires_at = now() WHERE name = 'over'");
  done(store->tokens().revoke(revoked));
  std::vector<std::string> told = get(store->tokens().not_good({good, over, revoked}));
  std::vector<std::string> bad = {over, revoked};
  std::ranges::sort(told);
  std::ranges::sort(bad);
  EXPECT_EQ(told, bad);
  EXPECT_EQ(get(store->tokens().not_good({})), std::vector<std::string>());
}

TEST_F(TokenLimitsTest, ChangesAreNotified) {
  TokenScope scope;
  scope.grants = TargetGrants{{"lz4", {TargetRight::read}}};
  const NewToken made = get(store->tokens().create("told", Role::viewer, scope));
  // Until it listens, a wait ends by its time.
  Notifications& notifications = store->notifications();
  const auto changes = [&](const std::function<void()>& change) {
    const std::uint64_t mark = notifications.mark(Channel::tokens);
    change();
    return run_on(context, notifications.wait(Channel::tokens, mark, std::chrono::seconds(10)));
  };
  while (!notifications.listening()) {
    run_on(context, notifications.wait(Channel::tokens, notifications.mark(Channel::tokens),
                                       std::chrono::milliseconds(20)));
  }
  EXPECT_TRUE(
      changes([&] { get(store->tokens().grant(made.view.id, "zlib", {TargetRight::read})); }));
  EXPECT_TRUE(changes([&] { get(store->tokens().revoke_grant(made.view.id, "zlib")); }));
  EXPECT_TRUE(changes([&] { get(store->tokens().rotate(made.view.id, 0)); }));
  EXPECT_TRUE(changes([&] { done(store->tokens().revoke(made.view.id)); }));
}

TEST_F(AuditStoreTest, ARowStandsOrFallsWithItsChange) {
  AuditEntry entry;
  entry.token = token;
  entry.action = "token.create";
  entry.kind = "token";
  {
    AuditedStore audited(*store, entry);
    get(audited.tokens().create("one", Role::viewer));
    EXPECT_EQ(error_of(audited.tokens().create("one", Role::viewer)).code, ErrorCode::conflict);
  }
  EXPECT_EQ(sql("SELECT count(*) FROM audit_log"), "1");
  const AuditView row = get(store->audit().list({}, {})).items.at(0);
  EXPECT_EQ(row.token_name, "tester");
  EXPECT_EQ(row.entry.object, get(store->tokens().find("one")).id);
  // Where the log cannot be written, nothing is changed.
  sql("ALTER TABLE audit_log ADD CONSTRAINT broken CHECK (false) NOT VALID");
  {
    AuditedStore audited(*store, entry);
    EXPECT_FALSE(run_on(context, audited.tokens().create("two", Role::viewer)));
  }
  EXPECT_EQ(error_of(store->tokens().find("two")).code, ErrorCode::not_found);
  // The pool is the store's still.
  get(store->tokens().create("three", Role::viewer));
}

TEST_F(AuditStoreTest, OnlyWhatIsOldIsRemovedAndOnlyByItsOwnName) {
  AuditEntry entry;
  entry.action = "worker.drain";
  entry.kind = "worker";
  entry.object = "w1";
  add_worker();
  AuditedStore audited(*store, entry);
  get(audited.workers().set_use("w1", WorkerUse::drain));
  EXPECT_EQ(error_of(audited.workers().set_use("w2", WorkerUse::drain)).code, ErrorCode::not_found);
  EXPECT_EQ(sql("SELECT count(*) FROM audit_log"), "1");
  EXPECT_THROW(sql("UPDATE audit_log SET object = 'w2'"), std::runtime_error);
  EXPECT_THROW(sql("DELETE FROM audit_log"), std::runtime_error);
  EXPECT_THROW(sql("TRUNCATE audit_log"), std::runtime_error);
  const auto removed = [this](std::int64_t days) {
    return get(store->retention().remove_some(Retained::audit, days, 0)).removed;
  };
  EXPECT_EQ(removed(1), 0);
  sql("INSERT INTO audit_log (at, action, kind, object) "
      "VALUES (now() - interval '40 days', 'x.y', 'x', 'z')");
  EXPECT_EQ(removed(30), 1);
  EXPECT_EQ(get(store->audit().list({}, {})).items.size(), 1U);
}

TEST_F(PolicyKeyStoreTest, OnlyASignatureOfAKeyInUseIsPutInForce) {
  const KeyPair first = *generate_key_pair();
  const KeyPair second = *generate_key_pair();
  done(store->policy_keys().require_signatures("lz4", true));
  EXPECT_TRUE(get(store->policy_keys().signatures_required("lz4")));
  NewPolicy plain;
  plain.target = "lz4";
  plain.document = R"({"rules": []})";
  get(store->policies().publish(plain));
  EXPECT_EQ(error_of(store->policies().promote("lz4", 1)).code, ErrorCode::conflict);
  const std::int64_t by_first = publish(10, first);
  EXPECT_EQ(error_of(store->policies().promote("lz4", by_first)).code,
            ErrorCode::permission_denied);
  const PolicyKeyView old_key = get(store->policy_keys().add(key("first", first, "lz4")));
  EXPECT_TRUE(old_key.in_use);
  EXPECT_TRUE(get(store->policies().promote("lz4", by_first)).promoted);
  // Both are good for a while, then only the next one.
  get(store->policy_keys().add(key("second", second)));
  const std::int64_t by_second = publish(20, second);
  EXPECT_TRUE(get(store->policies().promote("lz4", by_second)).promoted);
  const std::int64_t late = publish(30, first);
  EXPECT_FALSE(get(store->policy_keys().retire(old_key.id)).in_use);
  EXPECT_EQ(error_of(store->policies().promote("lz4", late)).code, ErrorCode::permission_denied);
  EXPECT_EQ(get(store->policies().find_promoted("lz4")).version.version, by_second);
  // Signed anew by the next one, it is put in force.
  const std::string document = get(store->policies().find_version("lz4", late)).document;
  EXPECT_EQ(error_of(store->policies().attach_signature(
                         "lz4", late, *sign_policy(*parse_json(document), first.secret_pem)))
                .code,
            ErrorCode::permission_denied);
  get(store->policies().attach_signature("lz4", late,
                                         *sign_policy(*parse_json(document), second.secret_pem)));
  EXPECT_TRUE(get(store->policies().promote("lz4", late)).promoted);
  EXPECT_EQ(error_of(store->policies().rollback("lz4", 1, token)).code, ErrorCode::conflict);
}

TEST_F(PolicyKeyStoreTest, TheLastKeyOfATargetThatAsksForSignaturesIsKept) {
  add_target("zlib");
  const PolicyKeyView first =
      get(store->policy_keys().add(key("first", *generate_key_pair(), "lz4")));
  const PolicyKeyView other =
      get(store->policy_keys().add(key("other", *generate_key_pair(), "zlib")));
  done(store->policy_keys().require_signatures("lz4", true));
  const Error refused = error_of(store->policy_keys().retire(first.id));
  EXPECT_EQ(refused.code, ErrorCode::conflict);
  EXPECT_NE(refused.message.find("lz4"), std::string::npos) << refused.message;
  EXPECT_FALSE(get(store->policy_keys().retire(other.id)).in_use) << "zlib asks for none";
  // Beside one for all targets it may go; then that one is the last.
  const PolicyKeyView next = get(store->policy_keys().add(key("next", *generate_key_pair())));
  EXPECT_FALSE(get(store->policy_keys().retire(first.id)).in_use);
  EXPECT_EQ(error_of(store->policy_keys().retire(next.id)).code, ErrorCode::conflict);
  EXPECT_FALSE(get(store->policy_keys().retire(next.id, LastKey::retire)).in_use);
  EXPECT_FALSE(get(store->policy_keys().retire(next.id)).in_use) << "retired already: no change";
}

TEST_F(PolicyKeyStoreTest, AKeyCountsForItsTargetAndItsTime) {
  add_target("zlib");
  const KeyPair pair = *generate_key_pair();
  done(store->policy_keys().require_signatures("lz4", true));
  get(store->policy_keys().add(key("other", pair, "zlib")));
  const std::int64_t version = publish(10, pair);
  EXPECT_EQ(error_of(store->policies().promote("lz4", version)).code, ErrorCode::permission_denied);
  NewPolicyKey later = key("later", pair, "lz4");
  later.valid_from = 4'000'000'000'000;
  EXPECT_FALSE(get(store->policy_keys().add(later)).in_use);
  EXPECT_EQ(error_of(store->policies().promote("lz4", version)).code, ErrorCode::permission_denied);
  sql("UPDATE policy_keys SET valid_from = now() - interval '1 hour', "
      "valid_until = now() - interval '1 second' WHERE name = 'later'");
  EXPECT_EQ(error_of(store->policies().promote("lz4", version)).code, ErrorCode::permission_denied);
  sql("UPDATE policy_keys SET valid_until = NULL WHERE name = 'later'");
  EXPECT_TRUE(get(store->policies().promote("lz4", version)).promoted);
}

TEST_F(PolicyKeyStoreTest, WhatIsNoKeyIsRefused) {
  const KeyPair pair = *generate_key_pair();
  EXPECT_EQ(error_of(store->policy_keys().add(key("No Name", pair))).code,
            ErrorCode::invalid_argument);
  NewPolicyKey secret = key("secret", pair);
  secret.public_key = pair.secret_pem;
  EXPECT_EQ(error_of(store->policy_keys().add(secret)).fields.at(0).pointer, "/public_key");
  EXPECT_EQ(error_of(store->policy_keys().add(key("x", pair, "unknown"))).code,
            ErrorCode::not_found);
  NewPolicyKey never = key("never", pair);
  never.valid_from = 2'000;
  never.valid_until = 1'000;
  EXPECT_EQ(error_of(store->policy_keys().add(never)).fields.at(0).pointer, "/valid_until");
  get(store->policy_keys().add(key("x", pair)));
  EXPECT_EQ(error_of(store->policy_keys().add(key("y", pair))).code, ErrorCode::conflict);
  EXPECT_EQ(error_of(store->policy_keys().add(key("x", *generate_key_pair()))).code,
            ErrorCode::conflict);
}

}  // namespace
}  // namespace hone::test
