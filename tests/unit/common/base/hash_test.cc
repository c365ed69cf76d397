#include "common/base/hash.h"

#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/token.h"

namespace hone {
namespace {

// Values of `xxhsum -H2` and `sha256sum` (xxHash 0.8.1, coreutils 9.1).
TEST(Hash128, AgreesWithXxhsum) {
  EXPECT_EQ(to_hex(hash128("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(to_hex(hash128("a")), "a96faf705af16834e6c632b61e964e1f");
}

TEST(Sha256, AgreesWithSha256sum) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.update("a");
  pieces.update("bc");
  EXPECT_EQ(pieces.finish(), sha256_hex("abc"));
}

TEST(Sha256, OfAFileIsThatOfItsContent) {
  const TemporaryFolder folder = *TemporaryFolder::create("hone-hash-test");
  const std::string content(300000, 'x');
  ASSERT_TRUE(write_file_atomically(folder.path() / "f", content));
  EXPECT_EQ(*sha256_file(folder.path() / "f"), sha256_hex(content));
  EXPECT_FALSE(sha256_file(folder.path() / "none"));
  std::stop_source stop;
  stop.request_stop();
  const Result<std::string> stopped = sha256_file(folder.path() / "f", stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
}

TEST(Sha256, KnowsItsOwnForm) {
  EXPECT_TRUE(is_sha256_hex(sha256_hex("")));
  EXPECT_FALSE(is_sha256_hex("ab"));
  EXPECT_FALSE(is_sha256_hex(std::string(63, 'a') + "A"));
  EXPECT_FALSE(is_sha256_hex(std::string(63, 'a') + "/"));
}

TEST(Token, IsLongAndFresh) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = random_hex(32);
    EXPECT_EQ(token.size(), 64U);
    EXPECT_TRUE(seen.insert(token).second);
  }
}

TEST(Token, UuidIsVersionFour) {
  const std::string uuid = random_uuid();
  ASSERT_EQ(uuid.size(), 36U);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
}

}  // namespace
}  // namespace hone
