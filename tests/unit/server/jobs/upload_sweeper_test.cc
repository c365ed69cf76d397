#include "server/jobs/upload_sweeper.h"

#include "common/base/sha256.h"
#include "common/base/token.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class UploadSweeperTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    SpoolOptions options;
    options.folder = temporary.path() / "uploads";
    spool = *UploadSpool::open(std::move(options));
  }
  void TearDown() override {
    spool.reset();
    StoreTest::TearDown();
  }
  std::string begin(const std::string& content) {
    return get(store->uploads().begin(sha256_hex(content), 100, token)).upload.id;
  }
  // A half of it is sent.
  void send_half(const std::string& id) {
    auto upload = run_on(context, spool->resume(id, sha256_hex("x"), 100));
    ASSERT_TRUE(upload) << upload.error().describe();
    ASSERT_TRUE(run_on(context, upload->append(std::string(50, 'x'))));
    ASSERT_TRUE(run_on(context, upload->rest()));
  }

  TemporaryFolder temporary = *TemporaryFolder::create("sweeper-test");
  std::unique_ptr<UploadSpool> spool;
};

TEST_F(UploadSweeperTest, BytesGoWhoseUploadIsGone) {
  const std::string going_on = begin("going on");
  const std::string outdated = begin("outdated");
  const std::string ended = begin("ended");  // by a coordinator that has another folder, or died
  const std::string never = random_uuid();   // so, too, one that the database lost
  for (const std::string& id : {going_on, outdated, ended, never}) {
    send_half(id);
  }
  sql("UPDATE unfinished_uploads SET used_at = used_at - interval '25 hours' WHERE id = '" +
      outdated + "'");
  done(store->uploads().remove(ended));
  EXPECT_EQ(run_on(context, end_uploads(*store, *spool)), 3);
  EXPECT_EQ(get(spool->partial_ids()), std::vector<std::string>{going_on});
  EXPECT_EQ(spool->offset(going_on), 50);
  EXPECT_EQ(error_of(store->uploads().use(outdated, token)).code, ErrorCode::not_found);
  EXPECT_EQ(run_on(context, end_uploads(*store, *spool)), 0);
}

}  // namespace
}  // namespace hone::test
