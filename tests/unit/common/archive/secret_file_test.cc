#include "common/archive/secret_file.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(SecretKind, KnowsPrivateKeys) {
  for (const char* head :
       {"-----BEGIN PRIVATE KEY-----\nMC4C", "-----BEGIN RSA PRIVATE KEY-----\r\n",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n",
        "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n-----BEGIN EC PRIVATE "
        "KEY-----\n",
        "key: |\n  -----BEGIN ENCRYPTED PRIVATE KEY-----\n"}) {
    EXPECT_EQ(secret_kind("a.txt", head), "a private key") << head;
  }
}

TEST(SecretKind, KnowsTokensWhereverTheyStand) {
  const std::string token = "hone_" + std::string(64, 'a');
  EXPECT_EQ(secret_kind("hone.token", token + "\n"), "a Hone token");
  EXPECT_EQ(secret_kind("ci/env.sh", "export T=" + token), "a Hone token");
}

TEST(SecretKind, KnowsFilesOfPasswordsByTheirNames) {
  for (const char* path :
       {".netrc", "a/.git-credentials", ".ssh/known_hosts", "x/.aws/config", "certs/server.p12"}) {
    EXPECT_NE(secret_kind(path, "x"), "") << path;
  }
}

TEST(SecretKind, SourcesAndPublicKeysAreNone) {
  EXPECT_EQ(secret_kind("hone.pub", "-----BEGIN PUBLIC KEY-----\nMCow\n"), "");
  EXPECT_EQ(secret_kind("test.c", "static const char k[] =\n  \"-----BEGIN PRIVATE KEY-----\\n\""),
            "");
  EXPECT_EQ(secret_kind("a.c", "hone_metrics_total hone_" + std::string(63, 'a')), "");
  EXPECT_EQ(secret_kind("a.c", "hone_" + std::string(65, 'a')), "");
  EXPECT_EQ(secret_kind("netrc.c", ""), "");
  EXPECT_EQ(secret_kind(".ssh", "a file of that name"), "");
}

}  // namespace
}  // namespace hone
