#include "staging/sandbox/control_group_tree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// A machine's control groups as plain folders, with what the kernel would tell of them.
class Tree : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("tree-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
  }
  std::string root() const { return folder_->path().string(); }
  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((folder_->path() / file).parent_path());
    ASSERT_TRUE(write_file_atomically(folder_->path() / file, text).has_value());
  }
  std::string get(const std::string& file) const {
    const Result<std::string> text = read_file(folder_->path() / file, 1000);
    return text ? *text : "missing";
  }
  ControlGroupTree find() const {
    return ControlGroupTree::find(
        {.groups = folder_->path() / "groups", .mounts = folder_->path() / "mounts"});
  }
  std::string mount(const std::string& shown, const std::string& point, const std::string& type,
                    const std::string& options) const {
    return "30 23 0:26 " + shown + " " + root() + "/" + point + " rw,nosuid shared:5 - " + type +
           " cgroup " + options + "\n";
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(Tree, Version1IsFoundBelowOurOwnGroups) {
  put("groups", "8:pids:/\n4:memory:/user/me\n3:cpuset,other:/\n0::/\n");
  put("mounts", "22 1 8:1 / / rw - ext4 /dev/sda rw\n" + mount("/", "m", "cgroup", "rw,memory") +
                    mount("/", "p", "cgroup", "rw,pids") +
                    mount("/", "c", "cgroup", "rw,cpuset,other"));
  put("c/cpuset.cpus", "0-1\n");
  put("c/cpuset.mems", "0\n");
  fs::create_directories(root() + "/m/user/me");
  fs::create_directories(root() + "/p");
  const ControlGroupTree tree = find();
  EXPECT_EQ(tree.missing(), Names{});
  const Result<ControlGroup> group = tree.create({.memory_bytes = 4096, .processes = 3});
  ASSERT_TRUE(group.has_value()) << group.error().message;
  ASSERT_EQ(group->member_files().size(), 3U);
  const std::string name = "hone-" + std::to_string(getpid()) + "-1";
  EXPECT_EQ(get("m/user/me/" + name + "/memory.limit_in_bytes"), "4096");
  EXPECT_EQ(get("p/" + name + "/pids.max"), "3");
}

TEST_F(Tree, AMountMayShowAPartOfTheHierarchy) {
  put("groups", "4:memory:/docker/abc\n");
  put("mounts", mount("/docker/abc", "m", "cgroup", "rw,memory"));
  fs::create_directories(root() + "/m");
  const ControlGroupTree tree = find();
  EXPECT_EQ(tree.missing(), (Names{"pids", "cpuset"}));
  const Result<ControlGroup> group = tree.create({.memory_bytes = 4096});
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->member_files().front().parent_path().parent_path(), root() + "/m");
}

TEST_F(Tree, Version2OfOurOwnIsOpenedAndWeMoveIntoALeaf) {
  put("groups", "0::/hone.service\n");
  put("mounts", mount("/", "u", "cgroup2", "rw"));
  put("u/hone.service/cgroup.controllers", "cpuset cpu io memory pids\n");
  put("u/hone.service/cgroup.subtree_control", "");
  put("u/hone.service/cgroup.procs", std::to_string(getpid()) + "\n");
  const ControlGroupTree tree = find();
  EXPECT_EQ(tree.missing(), Names{});
  EXPECT_EQ(get("u/hone.service/hone-worker/cgroup.procs"), "0");
  const Result<ControlGroup> group = tree.create({.processes = 3});
  ASSERT_TRUE(group.has_value()) << group.error().message;
  EXPECT_EQ(group->member_files().front().parent_path().parent_path(), root() + "/u/hone.service");
}

TEST_F(Tree, Version2OfOthersTooIsLeftAloneForTheTop) {
  put("groups", "0::/session\n");
  put("mounts", mount("/", "u", "cgroup2", "rw"));
  put("u/session/cgroup.controllers", "memory pids cpuset\n");
  put("u/session/cgroup.procs", "1\n" + std::to_string(getpid()) + "\n");
  put("u/cgroup.controllers", "memory pids\n");
  put("u/cgroup.subtree_control", "memory pids\n");
  const ControlGroupTree tree = find();
  EXPECT_EQ(tree.missing(), Names{"cpuset"});
  EXPECT_FALSE(fs::exists(root() + "/u/session/hone-worker"));
  const Result<ControlGroup> group = tree.create({.processes = 3});
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->member_files().front().parent_path().parent_path(), root() + "/u");
}

TEST_F(Tree, ANameThatIsTakenIsPassedOver) {
  put("groups", "8:pids:/\n");
  put("mounts", mount("/", "p", "cgroup", "rw,pids"));
  const std::string name = root() + "/p/hone-" + std::to_string(getpid());
  fs::create_directories(name + "-1");  // of a worker that had our number, in another container
  const ControlGroupTree tree = find();
  const Result<ControlGroup> group = tree.create({.processes = 3});
  ASSERT_TRUE(group.has_value()) << group.error().message;
  EXPECT_EQ(group->member_files().front().parent_path(), name + "-2");
}

TEST_F(Tree, AMachineWithoutHasNone) {
  const ControlGroupTree tree = find();
  EXPECT_EQ(tree.missing(), (Names{"memory", "pids", "cpuset"}));
  const Result<ControlGroup> group = tree.create({.processes = 3});
  ASSERT_TRUE(group.has_value());
  EXPECT_TRUE(group->member_files().empty());
}

TEST_F(Tree, RemovesWhatAKilledWorkerLeft) {
  const pid_t gone = fork();
  if (gone == 0) {
    _exit(0);
  }
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  put("groups", "8:pids:/\n");
  put("mounts", mount("/", "p", "cgroup", "rw,pids"));
  const std::string left = root() + "/p/hone-" + std::to_string(gone) + "-4";
  const std::string used = root() + "/p/hone-" + std::to_string(getpid()) + "-4000";
  for (const std::string& folder : {left, used, root() + "/p/hone-x", root() + "/p/other"}) {
    fs::create_directories(folder);
  }
  find();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(used));
  EXPECT_TRUE(fs::exists(root() + "/p/hone-x"));
  EXPECT_TRUE(fs::exists(root() + "/p/other"));
}

}  // namespace
}  // namespace hone
