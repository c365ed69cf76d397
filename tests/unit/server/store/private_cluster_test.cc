// PrivateCluster, with real processes: made, stopped, killed, found again.

#include "server/store/cluster/private_cluster.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/log.h"
#include "common/base/subprocess.h"
#include "server/store/cluster/postmaster.h"
#include "server/store/pg/pg_pool.h"
#include "tests/support/database.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

bool is_alive(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

// Whether the process is gone within some seconds. A zombie of another parent counts as gone.
bool ends_within(pid_t pid, seconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < deadline) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    if (!(file >> number >> name >> state) || state == "Z") {
      return true;
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  return false;
}

// Processes of PostgreSQL that work in the folder's cluster.
int processes_in(const fs::path& folder) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::error_code error;
    const fs::path cwd = fs::read_symlink(entry.path() / "cwd", error);
    if (!error && cwd.string().starts_with(folder.string())) {
      ++count;
    }
  }
  return count;
}

class PrivateClusterTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_level(LogLevel::off); }
  ClusterOptions options() {
    ClusterOptions made;
    made.folder = temporary.path() / "postgres";
    return made;
  }
  std::unique_ptr<PrivateCluster> start() {
    auto started = run_on(context, PrivateCluster::start(options()));
    if (!started) {
      throw std::runtime_error(started.error().describe());
    }
    return *std::move(started);
  }
  // The cluster in this test's folder, a copy of one that was made once: initdb is most of a test's
  // time.
  std::unique_ptr<PrivateCluster> start_copy() {
    static const TemporaryFolder kMade = [this] {
      TemporaryFolder folder = passable_folder();
      ClusterOptions first;
      first.folder = folder.path() / "postgres";
      auto started = run_on(context, PrivateCluster::start(first));
      if (!started) {
        throw std::runtime_error(started.error().describe());
      }
      return folder;
    }();
    Command copy;
    copy.arguments = {"cp", "-a", (kMade.path() / "postgres").string(), temporary.path().string()};
    const Result<RunReport> copied = hone::run(copy);
    if (!copied || !copied->ok()) {
      throw std::runtime_error("cp failed");
    }
    return start();
  }
  Error start_error(const ClusterOptions& wanted) {
    auto started = run_on(context, PrivateCluster::start(wanted));
    return started ? Error{ErrorCode::internal, "it started", {}} : started.error();
  }
  std::string sql(const PrivateCluster& cluster, const std::string& text) {
    PgConnectOptions connect;
    connect.url = cluster.database_url();
    auto connection = run_on(context, PgConnection::connect(context.get_executor(), connect));
    if (!connection) {
      throw std::runtime_error(connection.error().message);
    }
    const auto result = run_on(context, (*connection)->run(text));
    if (!result) {
      throw std::runtime_error(result.error().message);
    }
    return result->empty() ? "" : result->row(0).text_or_empty(result->column_name(0));
  }

  TemporaryFolder temporary = passable_folder();
  boost::asio::io_context context;
};

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

TEST_F(PrivateClusterTest, AKilledPostmasterIsStartedAgainAndLosesNothing) {
  const auto cluster = start_copy();
  sql(*cluster, "CREATE TABLE t AS SELECT 42 AS x");
  const pid_t first = cluster->postmaster();
  std::optional<Result<void>> watched;
  boost::asio::co_spawn(context, cluster->supervise(),
                        [&](std::exception_ptr, Result<void> end) { watched = std::move(end); });
  PgPoolOptions pool_options;
  pool_options.connect.url = cluster->database_url();
  pool_options.size = 2;
  PgPool pool(context.get_executor(), pool_options);
  const PgStatement statement{"t", "SELECT x FROM t", Repeat::safe};
  ASSERT_TRUE(run_on(context, pool.execute(statement, PgParams())));
  ::kill(first, SIGKILL);
  // The first ones may still meet an old backend, which lives a moment longer than its postmaster.
  // Then the pool waits for the server that recovers.
  const auto deadline = std::chrono::steady_clock::now() + seconds(60);
  bool again = false;
  while (!again && std::chrono::steady_clock::now() < deadline) {
    again = cluster->postmaster() != first && cluster->postmaster() != 0;
    const auto result = run_on(context, pool.execute(statement, PgParams()));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->first().integer("x"), 42);
  }
  EXPECT_TRUE(again);
  EXPECT_TRUE(is_alive(cluster->postmaster()));
  EXPECT_TRUE(run_on(context, cluster->stop()));
  context.restart();
  while (!watched && context.run_one() > 0) {
  }
  EXPECT_TRUE(*watched);
  EXPECT_EQ(processes_in(options().folder), 0);
}

TEST_F(PrivateClusterTest, OneThatKeepsEndingIsGivenUp) {
  start_copy().reset();
  ClusterOptions few = options();
  few.restarts = 1;
  auto started = run_on(context, PrivateCluster::start(few));
  ASSERT_TRUE(started) << started.error().describe();
  std::optional<Result<void>> watched;
  boost::asio::co_spawn(context, (*started)->supervise(),
                        [&](std::exception_ptr, Result<void> end) { watched = std::move(end); });
  context.restart();
  pid_t killed = 0;
  while (!watched && context.run_one() > 0) {
    const pid_t now = (*started)->postmaster();
    if (now > 0 && now != killed) {
      ::kill(now, SIGKILL);
      killed = now;
    }
  }
  ASSERT_TRUE(watched);
  ASSERT_FALSE(*watched);
  EXPECT_EQ(watched->error().code, ErrorCode::unavailable);
}

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

TEST_F(PrivateClusterTest, AnInterruptedCreationIsBegunAnew) {
  fs::create_directories(options().folder / "data.new" / "base");
  const auto cluster = start();
  EXPECT_EQ(sql(*cluster, "SELECT 1"), "1");
}

TEST_F(PrivateClusterTest, RefusesADataFolderOfAnotherVersion) {
  start_copy().reset();
  std::ofstream(options().folder / "data" / "PG_VERSION") << "13\n";
  const Error error = start_error(options());
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_NE(error.message.find("PostgreSQL 13"), std::string::npos) << error.message;
}

TEST_F(PrivateClusterTest, SaysThatPostgresqlIsMissing) {
  ClusterOptions missing = options();
  missing.binaries = "/nonexistent";
  const Error error = start_error(missing);
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_NE(error.message.find("postgresql-15"), std::string::npos) << error.message;
}

TEST_F(PrivateClusterTest, RefusesAPathThatNoSocketFits) {
  ClusterOptions longer = options();
  longer.folder = temporary.path() / std::string(100, 'x');
  EXPECT_EQ(start_error(longer).code, ErrorCode::invalid_argument);
}

TEST_F(PrivateClusterTest, NamesTheParentThatItsUserMayNotEnter) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root starts PostgreSQL as another user";
  }
  const fs::path closed = temporary.path() / "closed";
  fs::create_directory(closed);
  ::chmod(closed.c_str(), 0700);
  ClusterOptions below = options();
  below.folder = closed / "postgres";
  const Error error = start_error(below);
  EXPECT_EQ(error.code, ErrorCode::permission_denied);
  EXPECT_NE(error.message.find(closed.string() + ":"), std::string::npos) << error.message;
}

TEST_F(PrivateClusterTest, SaysThatAFolderIsNotWritable) {
  ClusterOptions nowhere = options();
  if (::geteuid() == 0) {
    nowhere.folder = "/proc/nowhere/postgres";
    EXPECT_NE(start_error(nowhere).code, ErrorCode::internal);
    return;
  }
  fs::create_directory(temporary.path() / "closed");
  ::chmod((temporary.path() / "closed").c_str(), 0500);
  nowhere.folder = temporary.path() / "closed" / "postgres";
  EXPECT_EQ(start_error(nowhere).code, ErrorCode::permission_denied);
}

TEST_F(PrivateClusterTest, SaysThatTheDiskIsFull) {
  const fs::path small = temporary.path() / "small";
  fs::create_directory(small);
  if (::geteuid() != 0 ||
      ::mount("hone-test", small.c_str(), "tmpfs", 0, "size=8m,mode=711") != 0) {
    GTEST_SKIP() << "no small disk can be mounted";
  }
  ClusterOptions there = options();
  there.folder = small / "postgres";
  const Error error = start_error(there);
  EXPECT_EQ(error.code, ErrorCode::io_failed);
  EXPECT_NE(error.message.find("full"), std::string::npos) << error.message;
  EXPECT_EQ(::umount(small.c_str()), 0);
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
