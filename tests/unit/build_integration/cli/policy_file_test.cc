#include "build_integration/cli/policy_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/policy/signature.h"

namespace hone {
namespace {

class PolicyFileTest : public testing::Test {
 protected:
  PolicyFileTest() {
    Policy policy;
    policy.target = "lz4";
    policy.sequence = 3;
    policy.rules.emplace_back();
    document_ = policy_to_json(policy);
    EXPECT_TRUE(write_file_atomically(public_key(), keys_.public_pem).has_value());
  }
  std::filesystem::path file() const { return folder_.path() / "lz4.json"; }
  std::filesystem::path public_key() const { return folder_.path() / "key.pub"; }
  void write(const std::string& text) const {
    ASSERT_TRUE(write_file_atomically(file(), text).has_value());
  }
  std::string signature() const { return *sign_policy(document_, keys_.secret_pem); }

  TemporaryFolder folder_ = *TemporaryFolder::create("policy");
  KeyPair keys_ = *generate_key_pair();
  Json document_;
};

TEST_F(PolicyFileTest, PlainDocumentHasNoSignature) {
  write(dump_json(document_));
  const Result<SignedPolicy> policy = read_policy_file(file());
  ASSERT_TRUE(policy.has_value());
  EXPECT_EQ(policy->document, document_);
  EXPECT_EQ(policy->signature, "");
}

TEST_F(PolicyFileTest, EnvelopeRoundTrips) {
  const SignedPolicy made{document_, signature()};
  write(print_signed_policy(made));
  const Result<SignedPolicy> policy = read_policy_file(file());
  ASSERT_TRUE(policy.has_value());
  EXPECT_EQ(policy->document, document_);
  EXPECT_EQ(policy->signature, made.signature);
}

TEST_F(PolicyFileTest, DetachedSignatureIsFoundBesideTheFile) {
  write(dump_json(document_));
  ASSERT_TRUE(write_file_atomically(file().string() + ".sig", signature() + "\n").has_value());
  EXPECT_EQ(read_policy_file(file())->signature, signature());
}

TEST_F(PolicyFileTest, EveryPinnedKeyIsLookedAtInWhateverOrder) {
  const SignedPolicy policy{document_, signature()};
  const std::filesystem::path missing = folder_.path() / "missing.pub";
  const std::filesystem::path broken = folder_.path() / "broken.pub";
  const std::filesystem::path other = folder_.path() / "other.pub";
  ASSERT_TRUE(write_file_atomically(broken, "no key\n"));
  ASSERT_TRUE(write_file_atomically(other, generate_key_pair()->public_pem));
  for (const auto& keys : {Trust{{public_key(), missing, broken}, false},
                           Trust{{missing, broken, public_key()}, false}}) {
    const Result<ParsedPolicy> parsed = trusted_policy(policy, keys);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    ASSERT_EQ(parsed->warnings.size(), 2U);
    EXPECT_NE(parsed->warnings[0].find("missing.pub"), std::string::npos) << parsed->warnings[0];
    EXPECT_NE(parsed->warnings[1].find("broken.pub"), std::string::npos) << parsed->warnings[1];
  }
  EXPECT_TRUE(trusted_policy(policy, {{public_key(), other}, false})->warnings.empty());
  EXPECT_EQ(trusted_policy(policy, {{other, missing}, false}).error().code, ErrorCode::not_found);
  EXPECT_EQ(trusted_policy(policy, {{other, other}, false}).error().code,
            ErrorCode::permission_denied);
}

TEST_F(PolicyFileTest, UnknownKeyOfTheEnvelopeIsRefused) {
  write(R"({"policy": {}, "signatur": "x"})");
  const Result<SignedPolicy> policy = read_policy_file(file());
  ASSERT_FALSE(policy.has_value());
  EXPECT_NE(policy.error().describe().find("/signatur"), std::string::npos);
}

TEST_F(PolicyFileTest, TrustWantsAKeyOrTheWordUnsigned) {
  const SignedPolicy policy{document_, ""};
  EXPECT_EQ(trusted_policy(policy, {}).error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(trusted_policy(policy, {.public_keys = {}, .allow_unsigned = true}).has_value());
}

TEST_F(PolicyFileTest, KeyWantsASignatureEvenWithUnsigned) {
  const Trust trust{.public_keys = {public_key()}, .allow_unsigned = true};
  EXPECT_EQ(trusted_policy({document_, ""}, trust).error().code, ErrorCode::permission_denied);
  EXPECT_TRUE(trusted_policy({document_, signature()}, trust).has_value());
}

TEST_F(PolicyFileTest, ChangedDocumentIsNotTrusted) {
  SignedPolicy policy{document_, signature()};
  policy.document["sequence"] = 4;
  EXPECT_EQ(trusted_policy(policy, {.public_keys = {public_key()}}).error().code,
            ErrorCode::permission_denied);
}

}  // namespace
}  // namespace hone
