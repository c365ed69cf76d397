#include "staging/sandbox/control_group.h"

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Plain folders stand in for the kernel's: what is written can be read back, and what the kernel
// would write is written by the test.
class Group : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("group-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    for (const char* name : {"memory", "pids", "cpuset", "all"}) {
      fs::create_directory(root() / name);
    }
    put("cpuset/cpuset.cpus", "0-3\n");
    put("cpuset/cpuset.mems", "0-1\n");
    limits_ = {.memory_bytes = 64U << 20U, .processes = 20, .own_processes = 2, .cpu = 2};
  }
  fs::path root() const { return folder_->path(); }
  void put(const std::string& file, const std::string& text) const {
    ASSERT_TRUE(write_file_atomically(root() / file, text).has_value());
  }
  std::string get(const std::string& file) const {
    const Result<std::string> text = read_file(root() / file, 1000);
    return text ? *text : "missing";
  }
  Result<ControlGroup> version_1() const {
    return ControlGroup::create(
        GroupVersion::v1,
        {{"memory", root() / "memory"}, {"pids", root() / "pids"}, {"cpuset", root() / "cpuset"}},
        "run", limits_);
  }
  Result<ControlGroup> version_2() const {
    const fs::path parent = root() / "all";
    return ControlGroup::create(GroupVersion::v2,
                                {{"memory", parent}, {"pids", parent}, {"cpuset", parent}}, "run",
                                limits_);
  }

  std::optional<TemporaryFolder> folder_;
  ControlGroupLimits limits_;
};

TEST_F(Group, Version1HasAFolderForEachController) {
  const Result<ControlGroup> group = version_1();
  ASSERT_TRUE(group.has_value()) << group.error().message;
  EXPECT_EQ(get("memory/run/memory.limit_in_bytes"), "67108864");
  EXPECT_EQ(get("pids/run/pids.max"), "22");
  EXPECT_EQ(get("cpuset/run/cpuset.mems"), "0-1");
  EXPECT_EQ(get("cpuset/run/cpuset.cpus"), "2");
  EXPECT_EQ(group->member_files(), (std::vector<fs::path>{root() / "memory/run/cgroup.procs",
                                                          root() / "pids/run/cgroup.procs",
                                                          root() / "cpuset/run/cgroup.procs"}));
}

TEST_F(Group, Version1TakesTheProcessorsFromAboveWhereNoneIsNamed) {
  limits_.cpu.reset();
  const Result<ControlGroup> group = version_1();
  ASSERT_TRUE(group.has_value()) << group.error().message;
  EXPECT_EQ(get("cpuset/run/cpuset.cpus"), "0-3");
}

TEST_F(Group, Version2HasOneFolder) {
  const Result<ControlGroup> group = version_2();
  ASSERT_TRUE(group.has_value()) << group.error().message;
  EXPECT_EQ(get("all/run/memory.max"), "67108864");
  EXPECT_EQ(get("all/run/pids.max"), "22");
  EXPECT_EQ(get("all/run/cpuset.cpus"), "2");
  EXPECT_EQ(get("all/run/cpuset.mems"), "missing");
  EXPECT_EQ(group->member_files(), (std::vector<fs::path>{root() / "all/run/cgroup.procs"}));
}

TEST_F(Group, WhatIsNotAskedForIsNotSet) {
  limits_ = {};
  const Result<ControlGroup> group = version_2();
  ASSERT_TRUE(group.has_value()) << group.error().message;
  EXPECT_TRUE(fs::is_empty(root() / "all/run"));
}

TEST_F(Group, TellsWhichLimitWasMet) {
  {
    const Result<ControlGroup> group = version_1();
    ASSERT_TRUE(group.has_value());
    EXPECT_EQ(group->limit_met(), "");
    put("memory/run/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
    put("pids/run/pids.events", "max 0\n");
    EXPECT_EQ(group->limit_met(), "");
    put("pids/run/pids.events", "max 7\n");
    EXPECT_NE(group->limit_met().find("20 processes"), std::string::npos) << group->limit_met();
    put("memory/run/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    put("memory/run/memory.max_usage_in_bytes", "67108864\n");
    EXPECT_NE(group->limit_met().find("64 MiB"), std::string::npos) << group->limit_met();
  }
  const Result<ControlGroup> group = version_2();
  ASSERT_TRUE(group.has_value());
  put("all/run/memory.events", "low 0\nhigh 0\nmax 5\noom 1\noom_kill 0\n");
  EXPECT_EQ(group->limit_met(), "");
  put("all/run/memory.events", "low 0\nhigh 0\nmax 5\noom 1\noom_kill 1\n");
  EXPECT_NE(group->limit_met().find("64 MiB"), std::string::npos) << group->limit_met();
}

TEST_F(Group, AKillBeforeItsMemoryIsUsedUpIsNotItsOwn) {
  {
    const Result<ControlGroup> group = version_2();
    ASSERT_TRUE(group.has_value());
    EXPECT_FALSE(group->killed_for_others());
    put("all/run/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\n");
    EXPECT_EQ(group->limit_met(), "");
    EXPECT_TRUE(group->killed_for_others());
    put("all/run/memory.events", "low 0\nhigh 0\nmax 5\noom 1\noom_kill 1\n");
    EXPECT_FALSE(group->killed_for_others());
  }
  const Result<ControlGroup> group = version_1();
  ASSERT_TRUE(group.has_value());
  put("memory/run/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  put("memory/run/memory.max_usage_in_bytes", "60000000\n");
  put("memory/run/memory.memsw.max_usage_in_bytes", "60000000\n");
  EXPECT_EQ(group->limit_met(), "");
  EXPECT_TRUE(group->killed_for_others());
  // Memory and swap have one limit, at which an allocation may not have fitted.
  put("memory/run/memory.memsw.max_usage_in_bytes", "67104768\n");
  EXPECT_FALSE(group->killed_for_others());
  EXPECT_NE(group->limit_met(), "");
}

TEST_F(Group, IsRemovedAtItsEnd) {
  limits_ = {};
  {
    Result<ControlGroup> group = version_2();
    ASSERT_TRUE(group.has_value());
    const ControlGroup moved = std::move(*group);
    EXPECT_TRUE(fs::exists(root() / "all/run"));
  }
  EXPECT_FALSE(fs::exists(root() / "all/run"));
}

TEST_F(Group, AFailureNamesTheFileAndLeavesNothing) {
  limits_ = {};
  limits_.cpu = 1;
  fs::remove(root() / "cpuset/cpuset.mems");
  const Result<ControlGroup> group = version_1();
  ASSERT_TRUE(group.has_error());
  EXPECT_NE(group.error().message.find("cpuset.mems"), std::string::npos) << group.error().message;
  EXPECT_FALSE(fs::exists(root() / "memory/run"));
  EXPECT_FALSE(fs::exists(root() / "cpuset/run"));
}

}  // namespace
}  // namespace hone
