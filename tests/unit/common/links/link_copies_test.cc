#include "common/links/link_copies.h"

#include <sys/stat.h>

#include <optional>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class Copies : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("links-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    program_ = folder_->path() / "app";
    write(program_, "program");
  }
  static void write(const fs::path& path, const std::string& content, mode_t mode = 0755) {
    ASSERT_TRUE(write_file_atomically(path, content, mode).has_value());
  }
  void make(std::size_t count, const std::string& why = "") {
    for (std::size_t number = 1; number <= count; ++number) {
      write(link_copy(program_, number), "copy " + std::to_string(number));
    }
    ASSERT_TRUE(note_link_copies(program_, hash128("program"), count, why).has_value());
  }
  std::size_t count() const { return read_link_copies(program_).count; }
  std::string why() const { return read_link_copies(program_).why_not_more; }

  std::optional<TemporaryFolder> folder_;
  fs::path program_;
};

TEST_F(Copies, LieBesideTheProgram) {
  EXPECT_EQ(link_copy("bin/app", 3), fs::path("bin/app.hone-link-3"));
  make(3);
  EXPECT_EQ(count(), 3U);
  EXPECT_EQ(why(), "");
}

TEST_F(Copies, SayWhyThereAreNotMore) {
  EXPECT_EQ(count(), 0U);
  EXPECT_NE(why().find("hone-link"), std::string::npos) << why();
  make(0, "its link has\nthe option '-T'");
  EXPECT_EQ(count(), 0U);
  EXPECT_EQ(why(), "its link has the option '-T'");
  make(2, "time is up");
  EXPECT_EQ(count(), 2U);
  EXPECT_EQ(why(), "time is up");
}

TEST_F(Copies, OfAnotherBinaryAreNone) {
  make(3);
  write(program_, "program, stripped");
  EXPECT_EQ(count(), 0U);
  EXPECT_NE(why().find("changed"), std::string::npos) << why();
}

TEST_F(Copies, EndBeforeTheFirstThatIsMissingOrNoProgram) {
  make(3);
  fs::remove(link_copy(program_, 3));
  EXPECT_EQ(count(), 2U);
  chmod(link_copy(program_, 2).c_str(), 0644);
  EXPECT_EQ(count(), 1U);
  fs::remove(link_copy(program_, 1));
  fs::create_symlink("app", link_copy(program_, 1));
  EXPECT_EQ(count(), 0U);
}

TEST_F(Copies, AreGoneWithAllThatEarlierLinksLeft) {
  make(5);
  make(2);
  remove_link_copies(program_);
  EXPECT_EQ(count(), 0U);
  std::size_t left = 0;
  for ([[maybe_unused]] const fs::directory_entry& entry :
       fs::directory_iterator(folder_->path())) {
    ++left;
  }
  EXPECT_EQ(left, 1U) << "the program alone";
}

TEST_F(Copies, ANoteThatIsNoneCountsAsNone) {
  make(2);
  const fs::path note = program_.string() + ".hone-links";
  for (const char* text : {"", "hone-links/1", "hone-links/2 00 2\n\n", "hone-links/1 x -1\n\n",
                           "hone-links/1 x 64\n\n", "2\n"}) {
    write(note, text, 0644);
    EXPECT_EQ(count(), 0U) << text;
    EXPECT_NE(why(), "") << text;
  }
  fs::remove(note);
  ASSERT_EQ(mkfifo(note.c_str(), 0644), 0);
  EXPECT_EQ(count(), 0U) << "and nobody waits for its writer";
}

}  // namespace
}  // namespace hone
