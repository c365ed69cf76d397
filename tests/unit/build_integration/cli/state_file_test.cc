#include "build_integration/cli/state_file.h"

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

class StateFile : public ::testing::Test {
 protected:
  std::string text() const { return *read_file(file_, 1U << 20U); }
  TemporaryFolder folder_ = *TemporaryFolder::create("hone-state-file-test-");
  std::filesystem::path file_ = folder_.path() / "states.csv";
  EpisodeState state_{.benchmark = "x-v0/1", .reward = 1, .walltime = 2, .commandline = "opt"};
};

TEST_F(StateFile, HasOneHeaderAndARowForEachState) {
  ASSERT_TRUE(append_state(file_, state_));
  state_.reward.reset();
  ASSERT_TRUE(append_state(file_, state_));
  EXPECT_EQ(text(), std::string(kStateCsvHeader) + "\nx-v0/1,1.0,2.0,opt\nx-v0/1,,2.0,opt\n");
}

TEST_F(StateFile, ARowThatWasCutShortDoesNotTakeTheNextOneAlong) {
  ASSERT_TRUE(write_file_atomically(file_, std::string(kStateCsvHeader) + "\nx-v0/1,1.0"));
  ASSERT_TRUE(append_state(file_, state_));
  const auto rows = read_states(text());
  ASSERT_TRUE(rows && rows->size() == 2);
  EXPECT_FALSE((*rows)[0].state);
  EXPECT_EQ((*rows)[1].state->benchmark, "x-v0/1");
}

TEST_F(StateFile, AnotherFileIsLeftAlone) {
  ASSERT_TRUE(write_file_atomically(file_, "a,b\n1,2\n"));
  EXPECT_EQ(append_state(file_, state_).error().code, ErrorCode::conflict);
  EXPECT_EQ(text(), "a,b\n1,2\n");
}

}  // namespace
}  // namespace hone
