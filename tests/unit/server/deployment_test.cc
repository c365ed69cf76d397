// Coordinators of one database see whether they keep artifacts in one place.
#include "server/deployment.h"

#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class DeploymentTest : public StoreTest {
 protected:
  std::unique_ptr<Artifacts> place(const std::string& name, std::int64_t reserve = 0) {
    ArtifactsOptions options;
    options.local = folder_.path() / name;
    options.reserve_bytes = reserve;
    return get(open_artifacts(std::move(options)));
  }
  Result<void> join(const std::string& name, DeploymentWish wish = {}) {
    const std::unique_ptr<Artifacts> artifacts = place(name);
    return run_on(context, join_deployment(*store, *artifacts, wish));
  }
  // What the watch finds at its first look.
  DeploymentDifference look(const std::string& name, DeploymentWish wish = {}) {
    const std::unique_ptr<Artifacts> artifacts = place(name);
    Background background(context.get_executor(), [] {});
    DeploymentDifference found;
    run_on(context, watch_deployment(*store, *artifacts, background, wish,
                                     [&](const DeploymentDifference& difference) {
                                       found = difference;
                                       background.request_stop();
                                     }));
    return found;
  }
  void somebody_serves(bool serves) {
    sql(std::string("UPDATE serving SET until = now() - interval '") + (serves ? "1" : "11") +
        " seconds'");
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("deployment-test-");
};

TEST_F(DeploymentTest, WhoKeepsThemElsewhereDoesNotStartBesideTheOthers) {
  ASSERT_TRUE(join("a"));
  somebody_serves(true);
  EXPECT_TRUE(join("a")) << "the same place";
  const Result<void> other = join("b");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::conflict);
  EXPECT_NE(other.error().message.find((folder_.path() / "b").string()), std::string::npos);
  EXPECT_TRUE(join("a"));
}

TEST_F(DeploymentTest, APlaceThatWasMovedWhileAllWereStoppedIsTheNewOne) {
  ASSERT_TRUE(join("a"));
  somebody_serves(false);
  EXPECT_TRUE(join("b"));
  somebody_serves(true);
  EXPECT_FALSE(join("a")) << "who was left behind";
  EXPECT_TRUE(join("b"));
}

TEST_F(DeploymentTest, APlaceThatWasCopiedWholeIsTheSame) {
  ASSERT_TRUE(join("a"));
  std::filesystem::copy(folder_.path() / "a", folder_.path() / "copy",
                        std::filesystem::copy_options::recursive);
  somebody_serves(true);
  EXPECT_TRUE(join("copy"));
  EXPECT_TRUE(join("a"));
}

TEST_F(DeploymentTest, AFullDiskKeepsNobodyFromStarting) {
  const std::unique_ptr<Artifacts> full = place("a", std::int64_t{1} << 60U);
  EXPECT_TRUE(run_on(context, join_deployment(*store, *full, {})));
  store->set_read_only(true);
  EXPECT_TRUE(join("a", {.lease_seconds = 7}));
}

TEST_F(DeploymentTest, OverAPrivateDatabaseNobodyElseServes) {
  ASSERT_TRUE(join("a"));
  somebody_serves(true);
  EXPECT_TRUE(join("b", {.alone = true}));
}

TEST_F(DeploymentTest, TheWatchSeesWhatIsDifferent) {
  ASSERT_TRUE(join("a"));
  EXPECT_EQ(look("a"), DeploymentDifference());
  EXPECT_EQ(look("b"), (DeploymentDifference{.artifacts = true}));
  // One that was started later, with another setting.
  ASSERT_TRUE(join("a", {.lease_seconds = 30}));
  EXPECT_EQ(look("a"), (DeploymentDifference{.lease_seconds = true}));
  EXPECT_EQ(look("a", {.lease_seconds = 30}), DeploymentDifference());
}

}  // namespace
}  // namespace hone::test
