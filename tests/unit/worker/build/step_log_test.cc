#include "worker/build/step_log.h"

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"sh", "-c", script};
  command.environment = {"PATH=/usr/bin:/bin"};
  return command;
}

TEST(StepLog, KeepsTheEndOfBothStreamsInOrder) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("step-log-test");
  ASSERT_TRUE(folder.has_value());
  StepLog log(folder->path() / "step.log");
  ASSERT_TRUE(log.run(shell("echo one; echo two >&2"), {}, {}, {}).has_value());
  EXPECT_EQ(log.tail(), "$ sh -c echo one; echo two >&2\none\ntwo\n");
  EXPECT_EQ(log.last_words(100), "one\ntwo");
  EXPECT_EQ(log.last_words(5), "two");
  ASSERT_TRUE(log.run(shell("seq 1 100000"), {}, {}, {}).has_value());
  EXPECT_LE(log.tail().size(), kLogTail);
  EXPECT_TRUE(log.tail().ends_with("99999\n100000\n"));
  EXPECT_EQ(log.last_words(8), "100000");
}

}  // namespace
}  // namespace hone
