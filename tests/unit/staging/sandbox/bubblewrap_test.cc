#include "staging/sandbox/bubblewrap.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class Bubblewrap : public testing::Test {
 protected:
  void SetUp() override {
    parts_.bubblewrap = "/usr/bin/bwrap";
    parts_.init = "/opt/hone/bin/hone-sandbox-init";
    parts_.system = {"--ro-bind", "/usr", "/usr"};
    command_.arguments = {"/w/build/bench", "--size", "5"};
    command_.working_folder = "/w/run";
  }
  std::string line(int filter = 7) const {
    return " " + join(bubblewrap_arguments(parts_, hidden_, command_, view_, filter, 9), " ") + " ";
  }
  // Where the words stand in the command line; fails if they do not.
  std::size_t at(const std::string& words, int filter = 7) const {
    const std::size_t found = line(filter).find(" " + words + " ");
    EXPECT_NE(found, std::string::npos) << words << "\nnot in" << line(filter);
    return found;
  }
  bool has(const std::string& words, int filter = 7) const {
    return line(filter).find(" " + words + " ") != std::string::npos;
  }

  SandboxParts parts_;
  std::vector<fs::path> hidden_;
  Command command_;
  SandboxView view_;
};

TEST_F(Bubblewrap, EndsWithInitItsDescriptorAndTheProgramAsGiven) {
  EXPECT_TRUE(line().starts_with(" /usr/bin/bwrap --unshare-user "));
  EXPECT_TRUE(
      line().ends_with(" --chdir /w/run --seccomp 7 -- /run/hone/init 9 - /w/build/bench "
                       "/w/build/bench --size 5 "));
  at("--ro-bind /opt/hone/bin/hone-sandbox-init /run/hone/init");
  EXPECT_FALSE(has("--seccomp", -1));
}

TEST_F(Bubblewrap, LeavesTheNetworkOnlyWhereThatIsAskedFor) {
  at("--unshare-net");
  EXPECT_FALSE(has("--ro-bind-try /run/systemd/resolve /run/systemd/resolve"));
  view_.network = NetworkUse::open;
  EXPECT_FALSE(has("--unshare-net"));
  at("--ro-bind-try /run/systemd/resolve /run/systemd/resolve");
  for (const char* other : {"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop ALL",
                            "--disable-userns", "--die-with-parent", "--new-session"}) {
    at(other);
  }
}

TEST_F(Bubblewrap, ShowsAFolderBeforeWhatLiesInIt) {
  view_.readable = {"/w/source", "/w"};
  view_.writable = {"/w/source/out", "/tmp/build"};
  EXPECT_LT(at("--tmpfs /tmp"), at("--bind-try /tmp/build /tmp/build"));
  EXPECT_LT(at("--ro-bind-try /w /w"), at("--ro-bind-try /w/source /w/source"));
  EXPECT_LT(at("--ro-bind-try /w/source /w/source"), at("--bind-try /w/source/out /w/source/out"));
}

TEST_F(Bubblewrap, WhatMayBeWrittenMay) {
  parts_.shared = {"/w/build", "/home/me/llvm/bin"};
  view_.readable = {"/w/build", {}};
  view_.writable = {"/w/build/"};
  at("--bind-try /w/build /w/build");
  EXPECT_FALSE(has("--ro-bind-try /w/build /w/build"));
  at("--ro-bind-try /home/me/llvm/bin /home/me/llvm/bin");
}

TEST_F(Bubblewrap, WhatTheSystemShowsIsNotShownAgain) {
  parts_.shared = {"/bin", "/usr/lib/llvm/bin", "/opt/tool"};
  view_.writable = {"/opt/work"};
  for (const char* path : {"/bin", "/usr/lib/llvm/bin", "/opt/tool"}) {
    EXPECT_FALSE(has("--ro-bind-try " + std::string(path) + " " + path)) << path;
  }
  EXPECT_GT(at("--bind-try /opt/work /opt/work"), at("--ro-bind /usr /usr"));
}

TEST_F(Bubblewrap, HidesOnlyWhatWouldBeSeen) {
  hidden_ = {"/etc/hone/token", "/home/me/.secret", "/w/work"};
  EXPECT_EQ(line().find("/home/me/.secret"), std::string::npos);
  EXPECT_EQ(line().find("/w/work"), std::string::npos);
  at("--ro-bind /dev/null /etc/hone/token");
  parts_.shared = {"/home/me"};
  view_.writable = {"/w/work/targets/t/build-s000"};
  EXPECT_GT(at("--ro-bind /dev/null /home/me/.secret"), at("--ro-bind-try /home/me /home/me"));
  EXPECT_EQ(line().find("/w/work /w/work"), std::string::npos);
}

TEST_F(Bubblewrap, WhatIsGivenIsShownInAHiddenFolderOfTheSystemToo) {
  hidden_ = {"/opt/hone/work"};
  parts_.shared = {"/opt/hone/work/compiler", "/opt/hone/workshop"};
  view_.readable = {"/opt/hone/work/targets/t/source", "/usr/share/doc"};
  for (const char* path : {"/opt/hone/work/compiler", "/opt/hone/work/targets/t/source"}) {
    EXPECT_LT(at("--ro-bind /dev/null /opt/hone/work"),
              at("--ro-bind-try " + std::string(path) + " " + path));
  }
  for (const char* path : {"/opt/hone/workshop", "/usr/share/doc"}) {
    EXPECT_FALSE(has("--ro-bind-try " + std::string(path) + " " + path)) << path;
  }
}

TEST_F(Bubblewrap, TheScratchFolderIsInMemoryAndOfItsSize) {
  view_.scratch = "/w/run";
  view_.scratch_bytes = 4096;
  view_.readable = {"/w"};
  EXPECT_LT(at("--ro-bind-try /w /w"), at("--size 4096 --tmpfs /w/run"));
  at("/run/hone/init 9 -");
  view_.keep_scratch = true;
  at("/run/hone/init 9 /w/run");
}

TEST_F(Bubblewrap, NothingOfItsOwnRootCanBeWritten) {
  view_.readable = {"/w"};
  EXPECT_GT(at("--remount-ro /"), at("--ro-bind-try /w /w"));
  EXPECT_GT(at("--remount-ro /dev"), at("--dev /dev"));
}

TEST(SystemArguments, AreTheFoldersThatAreThere) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("system-test");
  ASSERT_TRUE(folder.has_value());
  const std::string root = folder->path().string();
  fs::create_directories(folder->path() / "usr/bin");
  fs::create_directories(folder->path() / "etc");
  fs::create_directories(folder->path() / "home/somebody");
  fs::create_directory_symlink("usr/bin", folder->path() / "bin");
  const std::string line = " " + join(system_arguments(root), " ") + " ";
  EXPECT_NE(line.find(" --ro-bind " + root + "/usr " + root + "/usr "), std::string::npos);
  EXPECT_NE(line.find(" --ro-bind " + root + "/etc " + root + "/etc "), std::string::npos);
  EXPECT_NE(line.find(" --symlink usr/bin " + root + "/bin "), std::string::npos);
  EXPECT_EQ(line.find("home"), std::string::npos);
  EXPECT_EQ(line.find("/opt"), std::string::npos);
}

}  // namespace
}  // namespace hone
