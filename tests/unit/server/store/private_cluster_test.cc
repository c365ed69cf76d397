// PrivateCluster: made, stopped, begun anew, and closed to others.
#include "tests/unit/server/store/private_cluster_test.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hone::test {
namespace {

namespace fs = std::filesystem;

TEST_F(PrivateClusterTest, KeepsItsDataOverAStop) {
  auto cluster = start();
  const pid_t postmaster = cluster->postmaster();
  sql(*cluster, "CREATE TABLE t AS SELECT 42 AS x");
  EXPECT_TRUE(run_on(context, cluster->stop()));
  EXPECT_FALSE(is_alive(postmaster));
  EXPECT_EQ(processes_in(options().folder), 0);
  cluster = start();
  EXPECT_EQ(sql(*cluster, "SELECT x FROM t"), "42");
}

TEST_F(PrivateClusterTest, TheDestructorLeavesNothingRunning) {
  auto cluster = start_copy();
  const pid_t postmaster = cluster->postmaster();
  cluster.reset();
  EXPECT_FALSE(is_alive(postmaster));
  EXPECT_EQ(processes_in(options().folder), 0);
}

TEST_F(PrivateClusterTest, ListensOnNoNetworkAndLetsInOnlyItsUser) {
  const auto cluster = start_copy();
  EXPECT_EQ(sql(*cluster, "SHOW listen_addresses"), "");
  struct stat status{};
  ASSERT_EQ(::stat((options().folder / "run").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_EQ(sql(*cluster, "SELECT string_agg(auth_method, ',') FROM pg_hba_file_rules"),
            "peer,peer");
  PgConnectOptions other;
  other.url = cluster->database_url() + " user=postgres";
  EXPECT_FALSE(run_on(context, PgConnection::connect(context.get_executor(), other)));
}

TEST_F(PrivateClusterTest, RunsAsPostgresWhenWeAreRoot) {
  const auto cluster = start_copy();
  struct stat status{};
  ASSERT_EQ(::stat(("/proc/" + std::to_string(cluster->postmaster())).c_str(), &status), 0);
  const uid_t wanted = ::geteuid() == 0 ? ::getpwnam("postgres")->pw_uid : ::geteuid();
  EXPECT_EQ(status.st_uid, wanted);
}

TEST_F(PrivateClusterTest, AnInterruptedCreationIsBegunAnew) {
  fs::create_directories(options().folder / "data.new" / "base");
  const auto cluster = start();
  EXPECT_EQ(sql(*cluster, "SELECT 1"), "1");
}

TEST_F(PrivateClusterTest, OurDescriptorsAreNotItsOwn) {
  // Without close-on-exec, as a socket of Asio is.
  const int mine = ::open("/dev/zero", O_RDONLY);  // NOLINT
  const auto cluster = start_copy();
  const fs::path theirs = "/proc/" + std::to_string(cluster->postmaster()) + "/fd";
  for (const fs::directory_entry& entry : fs::directory_iterator(theirs)) {
    std::error_code error;
    EXPECT_NE(fs::read_symlink(entry.path(), error), "/dev/zero");
  }
  ::close(mine);
}

}  // namespace
}  // namespace hone::test
