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
