#include "staging/counters/log_pipe.h"

#include <sys/stat.h>

#include <climits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/subprocess.h"

namespace hone {
namespace {

class Pipe : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("pipe-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    path_ = folder_->path() / "pipe";
  }
  Result<LogPipe> open() {
    return LogPipe::open(path_, [this](std::string_view line) { lines_.emplace_back(line); });
  }
  // Until it and all that it started have ended.
  void write(const std::string& script) {
    Command command;
    command.arguments = {"sh", "-c", script, "sh", path_.string()};
    command.environment = {"PATH=/usr/bin:/bin"};
    const Result<RunReport> report = run(command);
    ASSERT_TRUE(report.has_value());
    ASSERT_TRUE(report->ok()) << report->stderr_text;
  }

  std::optional<TemporaryFolder> folder_;
  std::filesystem::path path_;
  std::vector<std::string> lines_;
};

TEST_F(Pipe, LinesOfManyWritersComeWholeAndAll) {
  Result<LogPipe> pipe = open();
  ASSERT_TRUE(pipe.has_value()) << pipe.error().message;
  // Together far more than a pipe holds.
  write(
      "for w in a b c d; do"
      "  (i=0; while [ $i -lt 2000 ]; do echo $w-$i-0123456789012345678901234567890; i=$((i+1));"
      "   done > $1) & done; wait");
  pipe->close();
  const std::set<std::string> different(lines_.begin(), lines_.end());
  EXPECT_EQ(lines_.size(), 8000U);
  EXPECT_EQ(different.size(), 8000U);
  EXPECT_TRUE(different.contains("c-1999-0123456789012345678901234567890"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Pipe, AnEndlessLineIsCutAndTheNextOneReadAllTheSame) {
  Result<LogPipe> pipe = open();
  ASSERT_TRUE(pipe.has_value());
  write("{ head -c 300000 /dev/zero | tr '\\0' x; echo; echo next; } > $1");
  pipe->close();
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_[0].size(), static_cast<std::size_t>(PIPE_BUF));
  EXPECT_EQ(lines_[1], "next");
}

TEST_F(Pipe, AnotherUserMayWriteButNotRead) {
  Result<LogPipe> pipe = open();
  ASSERT_TRUE(pipe.has_value());
  struct stat status{};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777U, 0622U);
}

TEST_F(Pipe, AFolderThatIsNotThereIsAnError) {
  path_ = folder_->path() / "none/pipe";
  EXPECT_TRUE(open().has_error());
}

}  // namespace
}  // namespace hone
