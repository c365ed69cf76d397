#include "common/policy/signature.h"

#include <sys/stat.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"

namespace hone {
namespace {

Json policy() {
  return Json{{"format", 1}, {"sequence", 7}, {"target", "lz4"}};
}

TEST(Signature, HoldsForThePolicyAndKeyItWasMadeWith) {
  const KeyPair keys = *generate_key_pair();
  const Result<std::string> signature = sign_policy(policy(), keys.secret_pem);
  ASSERT_TRUE(signature.has_value());
  EXPECT_EQ(signature->size(), 88U);
  EXPECT_TRUE(verify_policy(policy(), *signature, keys.public_pem).has_value());
}

TEST(Signature, SurvivesReformatting) {
  const KeyPair keys = *generate_key_pair();
  const std::string signature = *sign_policy(policy(), keys.secret_pem);
  const Json again = *parse_json(" { \"target\" : \"lz4\",\n \"sequence\":7, \"format\":1 } ");
  EXPECT_TRUE(verify_policy(again, signature, keys.public_pem).has_value());
}

TEST(Signature, FailsForAChangedPolicyOrAnotherKey) {
  const KeyPair keys = *generate_key_pair();
  const std::string signature = *sign_policy(policy(), keys.secret_pem);
  Json changed = policy();
  changed["sequence"] = 8;
  EXPECT_EQ(verify_policy(changed, signature, keys.public_pem).error().code,
            ErrorCode::permission_denied);
  EXPECT_EQ(verify_policy(policy(), signature, generate_key_pair()->public_pem).error().code,
            ErrorCode::permission_denied);
}

TEST(Signature, FailsWithOneBitChanged) {
  const KeyPair keys = *generate_key_pair();
  std::string signature = *sign_policy(policy(), keys.secret_pem);
  signature[10] = signature[10] == 'A' ? 'B' : 'A';
  EXPECT_EQ(verify_policy(policy(), signature, keys.public_pem).error().code,
            ErrorCode::permission_denied);
}

TEST(Signature, WhatIsNoSignatureOrKeyIsRefused) {
  const KeyPair keys = *generate_key_pair();
  for (const char* text : {"", "AAAA", "not base64 at all"}) {
    EXPECT_EQ(verify_policy(policy(), text, keys.public_pem).error().code,
              ErrorCode::invalid_argument)
        << text;
  }
  EXPECT_EQ(sign_policy(policy(), "no key").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(sign_policy(policy(), keys.public_pem).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(verify_policy(policy(), std::string(86, 'A') + "==", keys.secret_pem).error().code,
            ErrorCode::invalid_argument);
}

TEST(Signature, SecretKeyFileMustBePrivate) {
  const TemporaryFolder folder = *TemporaryFolder::create("key");
  const std::filesystem::path file = folder.path() / "secret";
  const KeyPair keys = *generate_key_pair();
  ASSERT_TRUE(write_file_atomically(file, keys.secret_pem, 0600).has_value());
  EXPECT_EQ(*read_secret_key(file), keys.secret_pem);
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  EXPECT_EQ(read_secret_key(file).error().code, ErrorCode::permission_denied);
  EXPECT_EQ(read_secret_key(folder.path() / "none").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace hone
