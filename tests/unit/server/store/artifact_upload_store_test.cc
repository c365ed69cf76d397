#include "server/store/artifact_upload_store.h"

#include "common/base/sha256.h"
#include "common/base/token.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class ArtifactUploadStoreTest : public StoreTest {
 protected:
  const std::string hash = sha256_hex("content");
};

TEST_F(ArtifactUploadStoreTest, OneIsUnderWayPerTokenAndArtifact) {
  const UploadView first = get(store->uploads().begin(hash, 100, token));
  EXPECT_EQ(first.size_bytes, 100);
  EXPECT_EQ(get(store->uploads().begin(hash, 100, token)).id, first.id);
  const std::string other = get(store->tokens().create("other", Role::submitter)).view.id;
  EXPECT_NE(get(store->uploads().begin(hash, 100, other)).id, first.id);
  EXPECT_EQ(error_of(store->uploads().use(first.id, other)).code, ErrorCode::not_found);
  EXPECT_EQ(get(store->uploads().use(first.id, token)).sha256, hash);
  EXPECT_EQ(error_of(store->uploads().use("none", token)).code, ErrorCode::not_found);
  // Another size is another content of the same name: the earlier one cannot succeed.
  const UploadView changed = get(store->uploads().begin(hash, 101, token));
  EXPECT_NE(changed.id, first.id);
  EXPECT_EQ(error_of(store->uploads().use(first.id, token)).code, ErrorCode::not_found);
  done(store->uploads().remove(changed.id));
  EXPECT_EQ(error_of(store->uploads().use(changed.id, token)).code, ErrorCode::not_found);
}

TEST_F(ArtifactUploadStoreTest, TheirNumberIsBounded) {
  for (std::int64_t i = 0; i < kMaxUploadsPerToken; ++i) {
    get(store->uploads().begin(sha256_hex(std::to_string(i)), 5, token));
  }
  const Error error = error_of(store->uploads().begin(hash, 5, token));
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.message.find("16 of a token"), std::string::npos) << error.message;
  get(store->uploads().begin(sha256_hex("3"), 5, token));
}

TEST_F(ArtifactUploadStoreTest, ThoseThatNobodySendsToEnd) {
  const UploadView old = get(store->uploads().begin(hash, 100, token));
  sql("UPDATE unfinished_uploads SET used_at = used_at - interval '25 hours'");
  const UploadView fresh = get(store->uploads().begin(sha256_hex("other"), 100, token));
  EXPECT_EQ(get(store->uploads().remove_outdated()), std::vector<std::string>{old.id});
  EXPECT_EQ(get(store->uploads().use(fresh.id, token)).id, fresh.id);
}

}  // namespace
}  // namespace hone::test
