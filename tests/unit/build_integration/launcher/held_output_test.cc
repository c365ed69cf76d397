#include "build_integration/launcher/held_output.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace hone {
namespace {

// Standard output and error are other files for the time of a test.
class Standard : public testing::Test {
 protected:
  void SetUp() override {
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      kept_[descriptor - 1] = UniqueFd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 100));
    }
  }
  void TearDown() override {
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      ::dup2(kept_[descriptor - 1].get(), descriptor);
    }
  }
  void lead(int descriptor, const std::string& name) const {
    const UniqueFd file(
        ::open((folder_.path() / name).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    ASSERT_GE(::dup2(file.get(), descriptor), 0);
  }
  std::string content(const std::string& name) const {
    const Result<std::string> text = read_file(folder_.path() / name, 1000);
    return text ? *text : "none";
  }
  // Runs a shell whose outputs are held.
  static void run(HeldOutputs& held, const char* script) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!held.become_standard()) {
        ::_exit(1);
      }
      ::execl("/bin/sh", "sh", "-c", script, nullptr);
      ::_exit(1);
    }
    held.child_started();
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      held.pump();
    }
    held.pump();
    EXPECT_EQ(status, 0);
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("held-output-test");
  UniqueFd kept_[2];
};

TEST_F(Standard, BothAreHeldApart) {
  lead(STDOUT_FILENO, "out");
  lead(STDERR_FILENO, "err");
  Result<HeldOutputs> held = HeldOutputs::create();
  ASSERT_TRUE(held.has_value());
  run(*held, "printf said; printf warned >&2");
  EXPECT_EQ(content("out") + content("err"), "");
  EXPECT_EQ(held->messages(), "warned");
  EXPECT_TRUE(held->replay().has_value());
  EXPECT_EQ(content("out"), "said");
  EXPECT_EQ(content("err"), "warned");
}

TEST_F(Standard, OneFileKeepsItsOrder) {
  lead(STDOUT_FILENO, "both");
  lead(STDERR_FILENO, "both");
  Result<HeldOutputs> held = HeldOutputs::create();
  ASSERT_TRUE(held.has_value());
  run(*held, "printf 1; printf 2 >&2; printf 3; printf 4 >&2");
  EXPECT_TRUE(held->replay().has_value());
  EXPECT_EQ(content("both"), "1234");
}

TEST_F(Standard, AClosedOutputStaysClosed) {
  lead(STDERR_FILENO, "err");
  ::close(STDOUT_FILENO);
  Result<HeldOutputs> held = HeldOutputs::create();
  ASSERT_TRUE(held.has_value());
  run(*held, "[ ! -e /proc/self/fd/1 ] && printf closed >&2");
  EXPECT_EQ(held->messages(), "closed");
}

TEST_F(Standard, WithoutStandardErrorNothingIsHeld) {
  ::close(STDERR_FILENO);
  EXPECT_FALSE(HeldOutputs::create().has_value());
}

TEST_F(Standard, WhatCannotBePassedOnIsAnError) {
  lead(STDOUT_FILENO, "out");
  const UniqueFd full(::open("/dev/full", O_WRONLY));
  ::dup2(full.get(), STDERR_FILENO);
  Result<HeldOutputs> held = HeldOutputs::create();
  ASSERT_TRUE(held.has_value());
  run(*held, "printf warned >&2");
  EXPECT_FALSE(held->replay().has_value());
  // A pipe that nobody reads does not end us.
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[1]);
  EXPECT_FALSE(held->replay().has_value());
}

TEST_F(Standard, ThereIsALimit) {
  lead(STDOUT_FILENO, "out");
  lead(STDERR_FILENO, "err");
  Result<HeldOutputs> held = HeldOutputs::create();
  ASSERT_TRUE(held.has_value());
  const pid_t child = ::fork();
  if (child == 0) {
    held->become_standard();
    ::execl("/bin/sh", "sh", "-c", "exec cat /dev/zero", nullptr);
    ::_exit(1);
  }
  held->child_started();
  while (!held->is_too_much()) {
    held->pump();
  }
  ::kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(held->messages(), "");
}

}  // namespace
}  // namespace hone
