#include "common/policy/signature.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
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

// The PEM file of a public key's 32 bytes, given as hexadecimal digits.
std::string public_pem_of(const std::string& digits) {
  std::string raw;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    raw += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  EVP_PKEY* const key = EVP_PKEY_new_raw_public_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(raw.data()), raw.size());
  BIO* const text = BIO_new(BIO_s_mem());
  EXPECT_EQ(PEM_write_bio_PUBKEY(text, key), 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text, &data);
  std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(text);
  EVP_PKEY_free(key);
  return pem;
}

// With a key of small order, R = the neutral element and S = 0 are a signature over any message, or
// over one of eight.
TEST(Signature, AKeyOfSmallOrderIsNone) {
  const std::string zero(64, '0');
  const std::string one = "01" + std::string(62, '0');
  const std::string trivial = "AQ" + std::string(84, 'A') + "==";
  for (const std::string& y :
       {zero, one, "ec" + std::string(60, 'f') + "7f",  // 0, 1, -1
        std::string("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
        std::string("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
        "ed" + std::string(60, 'f') + "7f", "ee" + std::string(60, 'f') + "7f"}) {
    for (const bool negative : {false, true}) {
      std::string digits = y;
      if (negative) {
        digits[62] = "89abcdef"[digits[62] - '0'];  // the top bit of the last byte
      }
      const std::string pem = public_pem_of(digits);
      const Result<std::string> fingerprint = key_fingerprint(pem);
      ASSERT_FALSE(fingerprint.has_value()) << digits;
      EXPECT_EQ(fingerprint.error().code, ErrorCode::invalid_argument);
      EXPECT_NE(fingerprint.error().message.find("small order"), std::string::npos);
      for (int i = 0; i < 16; ++i) {
        const Json some{{"sequence", i}};
        const Result<void> verified = verify_policy(some, trivial, pem);
        ASSERT_FALSE(verified.has_value()) << digits << " " << i;
        EXPECT_EQ(verified.error().code, ErrorCode::permission_denied);
      }
    }
  }
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
