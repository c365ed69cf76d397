#include "server/store/artifact_upload_store.h"

#include "common/base/sha256.h"
#include "common/base/token.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class ArtifactUploadStoreTest : public StoreTest {
 protected:
  BegunUpload begin(const std::string& sha256, std::int64_t size, const std::string& of) {
    return get(store->uploads().begin(sha256, size, of));
  }

  const std::string hash = sha256_hex("content");
};

TEST_F(ArtifactUploadStoreTest, OneIsUnderWayPerTokenAndArtifact) {
  const UploadView first = begin(hash, 100, token).upload;
  EXPECT_EQ(first.size_bytes, 100);
  const BegunUpload again = begin(hash, 100, token);
  EXPECT_EQ(again.upload.id, first.id);
  EXPECT_TRUE(again.replaced.empty());
  const std::string other = get(store->tokens().create("other", Role::submitter)).view.id;
  EXPECT_NE(begin(hash, 100, other).upload.id, first.id);
  EXPECT_EQ(error_of(store->uploads().use(first.id, other)).code, ErrorCode::not_found);
  EXPECT_EQ(get(store->uploads().use(first.id, token)).sha256, hash);
  EXPECT_EQ(error_of(store->uploads().use("none", token)).code, ErrorCode::not_found);
  // Another size is another content of the same name: the earlier one cannot succeed. Who asked is
  // told, so that its bytes go.
  const BegunUpload another = begin(hash, 101, token);
  const UploadView& changed = another.upload;
  EXPECT_NE(changed.id, first.id);
  EXPECT_EQ(another.replaced, std::vector<std::string>{first.id});
  EXPECT_EQ(error_of(store->uploads().use(first.id, token)).code, ErrorCode::not_found);
  done(store->uploads().remove(changed.id));
  EXPECT_EQ(error_of(store->uploads().use(changed.id, token)).code, ErrorCode::not_found);
}

TEST_F(ArtifactUploadStoreTest, TheirNumberIsBounded) {
  for (std::int64_t i = 0; i < kMaxUploadsPerToken; ++i) {
    begin(sha256_hex(std::to_string(i)), 5, token);
  }
  const Error error = error_of(store->uploads().begin(hash, 5, token));
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.message.find("16 of a token"), std::string::npos) << error.message;
  begin(sha256_hex("3"), 5, token);
}

TEST_F(ArtifactUploadStoreTest, TheirNumberIsBoundedForThoseBegunAtOnce) {
  int ended = 0;
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    boost::asio::co_spawn(context, store->uploads().begin(sha256_hex(std::to_string(i)), 5, token),
                          [&](std::exception_ptr, Result<BegunUpload> begun) {
                            ++ended;
                            refused += begun ? 0 : 1;
                          });
  }
  context.restart();
  while (ended < 60 && context.run_one() > 0) {
  }
  EXPECT_EQ(refused, 60 - kMaxUploadsPerToken);
  EXPECT_EQ(sql("SELECT count(*) FROM unfinished_uploads"), std::to_string(kMaxUploadsPerToken));
}

TEST_F(ArtifactUploadStoreTest, TheirNumberOverAllTokensIsBounded) {
  // Of another token as many as there may be, but one.
  const std::string many = get(store->tokens().create("many", Role::submitter)).view.id;
  sql("INSERT INTO unfinished_uploads (token, sha256, size_bytes) SELECT t.number, "
      "encode(sha256(i::text::bytea), 'hex'), 1 FROM tokens t, generate_series(1, " +
      std::to_string(kMaxUploads - 1) + ") AS i WHERE t.id = '" + many + "'");
  const std::string first = begin(sha256_hex("3"), 5, token).upload.id;
  const Error error = error_of(store->uploads().begin(hash, 5, token));
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.message.find("1000 in all"), std::string::npos) << error.message;
  EXPECT_EQ(begin(sha256_hex("3"), 5, token).upload.id, first) << "it is none more";
  EXPECT_NE(begin(sha256_hex("3"), 6, token).upload.id, first) << "nor in place of another";
}

// Another coordinator has counted and begun one, and its transaction is under way.
TEST_F(ArtifactUploadStoreTest, TheirNumberOverAllTokensIsBoundedForThoseBegunAtOnce) {
  const std::string many = get(store->tokens().create("many", Role::submitter)).view.id;
  const std::string row =
      "INSERT INTO unfinished_uploads (token, sha256, size_bytes) SELECT t.number, "
      "encode(sha256(i::text::bytea), 'hex'), 1 FROM tokens t, generate_series(";
  const std::string of = ") AS i WHERE t.id = '" + many + "'";
  sql(row + "2, " + std::to_string(kMaxUploads - 1) + of);
  const std::string own = begin(hash, 5, token).upload.id;
  // The lock's key as in artifact_upload_store.cc.
  const auto other = begin_other("SELECT pg_advisory_xact_lock(1970302063);" + row + "1, 1" + of);
  EXPECT_EQ(begin(hash, 5, token).upload.id, own) << "one under way waits for nobody";
  const Result<BegunUpload> begun =
      overlapping<BegunUpload>(*other, store->uploads().begin(sha256_hex("3"), 5, token));
  ASSERT_FALSE(begun) << "it did not count the other";
  EXPECT_EQ(begun.error().code, ErrorCode::unavailable);
  EXPECT_EQ(sql("SELECT count(*) FROM unfinished_uploads"), std::to_string(kMaxUploads));
}

TEST_F(ArtifactUploadStoreTest, ThoseThatNobodySendsToEnd) {
  const UploadView old = begin(hash, 100, token).upload;
  sql("UPDATE unfinished_uploads SET used_at = used_at - interval '25 hours'");
  const UploadView fresh = begin(sha256_hex("other"), 100, token).upload;
  EXPECT_EQ(get(store->uploads().remove_outdated()), std::vector<std::string>{old.id});
  EXPECT_EQ(get(store->uploads().use(fresh.id, token)).id, fresh.id);
}

TEST_F(ArtifactUploadStoreTest, SaysWhichAreNoUploads) {
  const std::string known = begin(hash, 100, token).upload.id;
  const std::string unknown = random_uuid();
  EXPECT_EQ(get(store->uploads().without_upload({known, unknown, "no id"})),
            std::vector<std::string>{unknown});
  EXPECT_TRUE(get(store->uploads().without_upload({})).empty());
}

}  // namespace
}  // namespace hone::test
