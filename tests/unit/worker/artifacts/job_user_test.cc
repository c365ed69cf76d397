#include "worker/artifacts/job_user.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

TEST(JobUser, RootRunsJobsAsNobodyUnlessItSaysRoot) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  const Result<JobUser> user = find_job_user("");
  ASSERT_TRUE(user.has_value());
  EXPECT_EQ(user->name, "nobody");
  ASSERT_TRUE(user->run_as.has_value());
  EXPECT_NE(user->run_as->user, 0U);
  const Result<JobUser> root = find_job_user("root");
  ASSERT_TRUE(root.has_value());
  EXPECT_FALSE(root->run_as.has_value());
  EXPECT_EQ(find_job_user("no-such-user").error().code, ErrorCode::not_found);
}

TEST(JobUser, AnybodyElseRunsThemAsThemselves) {
  if (geteuid() == 0) {
    GTEST_SKIP() << "needs a plain user";
  }
  EXPECT_FALSE(find_job_user("")->run_as.has_value());
  EXPECT_EQ(find_job_user("root").error().code, ErrorCode::permission_denied);
}

TEST(JobUser, RootHasOneForEachSlotsProcessor) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  const Result<JobUsers> users = find_job_users("", {3, 0});
  ASSERT_TRUE(users.has_value()) << users.error().message;
  EXPECT_EQ(users->of(0).run_as->user, kFirstSlotUser + 3);
  EXPECT_EQ(users->of(0).run_as->group, kFirstSlotUser + 3);
  EXPECT_EQ(users->of(1).run_as->user, kFirstSlotUser);
  EXPECT_EQ(find_job_users("", {0, 500}).error().code, ErrorCode::unsupported);
  const Result<JobUsers> named = find_job_users("nobody", {3, 0});
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->of(0).name, "nobody");
  EXPECT_EQ(named->of(1).name, "nobody");
}

TEST(JobUser, ToldWhenItCannotEnterAFolder) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  Result<TemporaryFolder> folder = TemporaryFolder::create("job-user-test");  // mode 0700
  ASSERT_TRUE(folder.has_value());
  const JobUser user = *find_job_user("");
  const Result<void> closed = check_can_enter(user, folder->path());
  ASSERT_TRUE(closed.has_error());
  EXPECT_NE(closed.error().message.find("nobody"), std::string::npos);
  chmod(folder->path().c_str(), 0755);
  EXPECT_TRUE(check_can_enter(user, folder->path()).has_value());
}

}  // namespace
}  // namespace hone
