// PrivateCluster and processes before it: owners that were killed, postmasters and numbers they
// left behind.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <thread>

#include "server/store/cluster/postmaster.h"
#include "tests/unit/server/store/private_cluster_test.h"

namespace hone::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Another process that owns a cluster, with a committed row (42) and an open transaction (43).
struct Owner {
  pid_t process = 0;
  pid_t postmaster = 0;  // 0: it could not start it
};

Owner fork_owner(const ClusterOptions& options) {
  int ends[2];
  Owner owner;
  if (::pipe(ends) != 0) {
    return owner;
  }
  owner.process = ::fork();
  if (owner.process == 0) {
    boost::asio::io_context context;
    auto started = run_on(context, PrivateCluster::start(options));
    if (!started) {
      ::_exit(1);
    }
    PgConnectOptions connect;
    connect.url = (*started)->database_url();
    auto connection = run_on(context, PgConnection::connect(context.get_executor(), connect));
    if (!connection || !run_on(context, (*connection)->run("CREATE TABLE t AS SELECT 42 AS x")) ||
        !run_on(context, (*connection)->run("BEGIN; INSERT INTO t VALUES (43)"))) {
      ::_exit(1);
    }
    const pid_t postmaster = (*started)->postmaster();
    [[maybe_unused]] const ssize_t told = ::write(ends[1], &postmaster, sizeof postmaster);
    while (true) {
      ::pause();
    }
  }
  ::close(ends[1]);
  if (::read(ends[0], &owner.postmaster, sizeof owner.postmaster) !=
      static_cast<ssize_t>(sizeof owner.postmaster)) {
    owner.postmaster = 0;
  }
  ::close(ends[0]);
  return owner;
}

void kill_owner(const Owner& owner) {
  ::kill(owner.process, SIGKILL);
  ::waitpid(owner.process, nullptr, 0);
}

TEST_F(PrivateClusterTest, DiesWithItsOwner) {
  start_copy().reset();
  const Owner owner = fork_owner(options());
  ASSERT_GT(owner.postmaster, 0);
  kill_owner(owner);
  EXPECT_TRUE(ends_within(owner.postmaster, seconds(20)));
  EXPECT_EQ(processes_in(options().folder), 0);
}

TEST_F(PrivateClusterTest, AStartRightAfterItsOwnerWasKilledRecovers) {
  start_copy().reset();
  const Owner owner = fork_owner(options());
  ASSERT_GT(owner.postmaster, 0);
  // While the owner lives its folder is refused.
  EXPECT_EQ(start_error(options()).code, ErrorCode::conflict);
  kill_owner(owner);
  const auto cluster = start();
  EXPECT_TRUE(ends_within(owner.postmaster, seconds(1)));
  EXPECT_EQ(sql(*cluster, "SELECT string_agg(x::text, ',') FROM t"), "42");
}

// Forks a process of PostgreSQL's user that does `work` and must not return.
template <class Work>
pid_t fork_as_cluster_user(const Work& work) {
  const Result<ClusterUser> user = cluster_user(ClusterOptions{});
  const pid_t child = ::fork();
  if (child == 0) {
    if (!user || (user->differs && (::setgid(user->group) != 0 || ::setuid(user->user) != 0))) {
      ::_exit(1);
    }
    work();
    ::_exit(1);
  }
  return child;
}

TEST_F(PrivateClusterTest, APostmasterThatOutlivedItsOwnerIsEnded) {
  start_copy().reset();
  const ClusterPaths paths = *cluster_paths(options());
  // Started by hand: no kernel's signal ends this one.
  const std::string program = options().binaries / "postgres";
  const pid_t old = fork_as_cluster_user([&] {
    ::freopen("/dev/null", "w", stderr);
    // With its whole path as its name: it looks for its files beside it, and PATH need not have it.
    ::execl(program.c_str(), program.c_str(), "-D", paths.data.c_str(), "-c",
            "listen_addresses=", "-c", ("unix_socket_directories=" + paths.run.string()).c_str(),
            nullptr);
  });
  ASSERT_GT(old, 0);
  const auto deadline = std::chrono::steady_clock::now() + seconds(30);
  std::optional<PostmasterFile> file;
  while ((!file || !file->ready) && std::chrono::steady_clock::now() < deadline) {
    file = read_postmaster_file(paths);
    std::this_thread::sleep_for(milliseconds(20));
  }
  ASSERT_TRUE(file && file->ready && file->pid == old);
  EXPECT_TRUE(is_postmaster_of(old, paths));
  const auto begun = std::chrono::steady_clock::now();
  const auto cluster = start();
  EXPECT_NE(cluster->postmaster(), old);
  // By a fast shutdown, not by the immediate one after half a minute.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(25));
  EXPECT_TRUE(ends_within(old, seconds(1)));
  ::waitpid(old, nullptr, 0);
  EXPECT_EQ(sql(*cluster, "SELECT 1"), "1");
}

TEST_F(PrivateClusterTest, APidFileOfAnotherProcessIsNoObstacle) {
  start_copy().reset();
  // As after a crash, when the postmaster's number was given to another process of its user.
  const pid_t other = fork_as_cluster_user([] {
    while (true) {
      ::pause();
    }
  });
  std::ofstream(options().folder / "data" / "postmaster.pid")
      << other << "\n"
      << (options().folder / "data").string() << "\n1\n5432\n\n\n\n";
  {
    const auto cluster = start();
    EXPECT_EQ(sql(*cluster, "SELECT 1"), "1");
  }
  EXPECT_TRUE(is_alive(other));
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace hone::test
