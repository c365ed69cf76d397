// Clusters that can not be started: what is refused, and what is said of it.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/server/store/private_cluster_test.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;

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

TEST_F(PrivateClusterTest, RefusesAPathWithAComma) {
  ClusterOptions parted = options();
  parted.folder = temporary.path() / "a, b";
  const Error error = start_error(parted);
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_NE(error.message.find("comma"), std::string::npos) << error.message;
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

// As when root looks after a honed that runs as a user of its own.
TEST_F(PrivateClusterTest, LeavesAClusterOfAnotherUserAsItIs) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root gives files away";
  }
  start_copy().reset();
  const fs::path folder = options().folder;
  ASSERT_EQ(::chown((folder / "data").c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
  const Error error = start_error(options());
  EXPECT_EQ(error.code, ErrorCode::permission_denied);
  EXPECT_NE(error.message.find("belongs to user 'nobody'"), std::string::npos) << error.message;
  struct stat status{};
  ASSERT_EQ(::stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534U);
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

}  // namespace
}  // namespace hone::test
