#include "common/archive/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// An archive made entry by entry, with nothing checked.
class Forge {
 public:
  Forge(const fs::path& path, const std::string& filter) : writer_(archive_write_new()) {
    archive_write_set_format_pax_restricted(writer_);
    if (filter != "none") {
      archive_write_add_filter_by_name(writer_, filter.c_str());
    }
    archive_write_open_filename(writer_, path.c_str());
  }
  ~Forge() { archive_write_free(writer_); }
  Forge(const Forge&) = delete;
  Forge& operator=(const Forge&) = delete;

  Forge& file(const std::string& name, const std::string& content, unsigned mode = 0644) {
    archive_entry* entry = make(name, AE_IFREG, mode);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_write_header(writer_, entry);
    archive_write_data(writer_, content.data(), content.size());
    archive_entry_free(entry);
    return *this;
  }
  Forge& folder(const std::string& name) { return plain(make(name, AE_IFDIR, 0755)); }
  Forge& device(const std::string& name) {
    archive_entry* entry = make(name, AE_IFCHR, 0666);
    archive_entry_set_rdev(entry, 0x103);
    return plain(entry);
  }
  Forge& fifo(const std::string& name) { return plain(make(name, AE_IFIFO, 0644)); }
  Forge& symlink(const std::string& name, const std::string& target) {
    archive_entry* entry = make(name, AE_IFLNK, 0777);
    archive_entry_set_symlink(entry, target.c_str());
    return plain(entry);
  }
  Forge& hardlink(const std::string& name, const std::string& target) {
    archive_entry* entry = make(name, AE_IFREG, 0644);
    archive_entry_set_hardlink(entry, target.c_str());
    return plain(entry);
  }

 private:
  static archive_entry* make(const std::string& name, unsigned type, unsigned mode) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, mode);
    archive_entry_set_mtime(entry, 1'000'000'000, 0);
    archive_entry_set_size(entry, 0);
    return entry;
  }
  Forge& plain(archive_entry* entry) {
    archive_write_header(writer_, entry);
    archive_entry_free(entry);
    return *this;
  }

  archive* writer_;
};

class Unpack : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("unpack-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    fs::create_directory(inside());
    ASSERT_TRUE(write_file_atomically(outside(), "untouched").has_value());
  }
  fs::path tar() const { return folder_->path() / "a.tar"; }
  fs::path inside() const { return folder_->path() / "inside"; }
  fs::path outside() const { return folder_->path() / "outside"; }
  Result<UnpackReport> unpack(const UnpackLimits& limits = {}) {
    return unpack_archive(tar(), inside(), limits);
  }
  // Unpacking is refused, says so naming the entry, and nothing outside has changed.
  void expect_refused(const std::string& entry, const std::string& reason,
                      ErrorCode code = ErrorCode::invalid_argument,
                      const UnpackLimits& limits = {}) {
    const Result<UnpackReport> report = unpack(limits);
    ASSERT_TRUE(report.has_error());
    EXPECT_EQ(report.error().code, code);
    EXPECT_NE(report.error().message.find(entry), std::string::npos) << report.error().message;
    EXPECT_NE(report.error().message.find(reason), std::string::npos) << report.error().message;
    EXPECT_EQ(*read_file(outside(), 100), "untouched");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_->path()), fs::directory_iterator()), 3);
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(Unpack, WritesFilesFoldersAndLinksThatStayInside) {
  for (const std::string filter : {"none", "gzip", "bzip2", "xz", "zstd"}) {
    fs::remove_all(inside());
    fs::create_directory(inside());
    Forge(tar(), filter)
        .folder("d/")
        .file("./d/tool.sh", "#!/bin/sh\n", 04755)
        .file("new/deep/naïve.c", "int x;")
        .symlink("d/link", "../new/deep")
        .hardlink("again", "d/tool.sh");
    const Result<UnpackReport> report = unpack();
    ASSERT_TRUE(report.has_value()) << filter << ": " << report.error().message;
    EXPECT_EQ(report->entries, 5U);
    EXPECT_EQ(report->bytes, 16U);
    EXPECT_EQ(*read_file(inside() / "d/link/naïve.c", 100), "int x;");
    EXPECT_EQ(*read_file(inside() / "again", 100), "#!/bin/sh\n");
    struct stat about{};
    ASSERT_EQ(lstat((inside() / "d/tool.sh").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777U, 0755U) << "the set-user-ID bit must go";
    EXPECT_EQ(about.st_mtime, 1'000'000'000);
  }
}

TEST_F(Unpack, RefusesParentFolders) {
  {
    Forge(tar(), "none").file("ok", "1").file("a/../../outside", "evil");
  }
  expect_refused("a/../../outside", "\"..\"");
}

TEST_F(Unpack, RefusesAbsoluteNames) {
  {
    Forge(tar(), "none").file(outside().string(), "evil");
  }
  expect_refused(outside().string(), "absolute");
}

TEST_F(Unpack, RefusesALinkThatLeadsOutside) {
  {
    Forge(tar(), "none").symlink("escape", "..");
  }
  expect_refused("escape", "outside");
  {
    Forge(tar(), "none").symlink("escape", outside().string());
  }
  expect_refused("escape", "outside");
  {
    Forge(tar(), "none").symlink("a/b/d", "../..").symlink("escape", "a/b/d/../outside");
  }
  expect_refused("escape", "outside");
}

TEST_F(Unpack, NeverWritesThroughALink) {
  // Planted beforehand, as if the check of targets had failed.
  fs::create_symlink("..", inside() / "door");
  {
    Forge(tar(), "none").file("door/outside", "evil");
  }
  expect_refused("door/outside", "link");
  // A link in the place of a file is replaced, not followed.
  fs::create_symlink(outside(), inside() / "file");
  {
    Forge(tar(), "none").file("file", "good");
  }
  ASSERT_TRUE(unpack().has_value());
  EXPECT_EQ(*read_file(outside(), 100), "untouched");
  EXPECT_FALSE(fs::is_symlink(inside() / "file"));
}

TEST_F(Unpack, RefusesHardLinksToTheOutside) {
  {
    Forge(tar(), "none").hardlink("evil", outside().string());
  }
  expect_refused("evil", "outside");
  {
    Forge(tar(), "none").hardlink("evil", "../outside");
  }
  expect_refused("evil", "outside");
  fs::create_symlink("..", inside() / "door");
  {
    Forge(tar(), "none").hardlink("evil", "door/outside");
  }
  expect_refused("evil", "link");
  fs::create_symlink(outside(), inside() / "file");
  {
    Forge(tar(), "none").hardlink("evil", "file");
  }
  expect_refused("evil", "no file of this archive");
}

TEST_F(Unpack, RefusesDevicesAndFifos) {
  {
    Forge(tar(), "none").device("null");
  }
  expect_refused("null", "device");
  {
    Forge(tar(), "none").fifo("pipe");
  }
  expect_refused("pipe", "FIFO");
}

TEST_F(Unpack, StopsABombAtItsLimits) {
  {
    Forge(tar(), "zstd").file("bomb", std::string(std::size_t{20} << 20U, '\0'));
  }
  EXPECT_LT(fs::file_size(tar()), 100'000U);
  expect_refused("bomb", "larger than the limit", ErrorCode::too_large,
                 {.total_bytes = 1U << 30U, .file_bytes = 1U << 20U});
  EXPECT_EQ(fs::file_size(inside() / "bomb"), 0U) << "refused before the first byte";
  {
    Forge forge(tar(), "none");
    for (int i = 0; i < 20; ++i) {
      forge.file("f" + std::to_string(i), std::string(1000, 'x'));
    }
  }
  expect_refused("f10", "past the limit", ErrorCode::too_large, {.total_bytes = 10'000});
  expect_refused("", "more than 5 entries", ErrorCode::too_large, {.entries = 5});
}

TEST_F(Unpack, SaysThatAFileIsNoArchive) {
  ASSERT_TRUE(write_file_atomically(tar(), std::string(2000, 'x')).has_value());
  expect_refused("", "tar archive");
}

TEST_F(Unpack, SaysThatAnArchiveIsCutShort) {
  {
    Forge(tar(), "gzip").file("a", std::string(100'000, 'x') + std::to_string(getpid()));
  }
  const std::string whole = *read_file(tar(), 1U << 20U);
  ASSERT_TRUE(write_file_atomically(tar(), whole.substr(0, whole.size() / 2)).has_value());
  EXPECT_EQ(unpack().error().code, ErrorCode::invalid_argument);
}

TEST_F(Unpack, GivesEverythingToTheOwner) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  {
    Forge(tar(), "none").file("d/e/file", "1").symlink("link", "d");
  }
  ASSERT_TRUE(unpack_archive(tar(), inside(), {}, Owner{65534, 65534}).has_value());
  for (const char* name : {"d", "d/e", "d/e/file", "link"}) {
    struct stat about{};
    ASSERT_EQ(lstat((inside() / name).c_str(), &about), 0);
    EXPECT_EQ(about.st_uid, 65534U) << name;
    EXPECT_EQ(about.st_gid, 65534U) << name;
  }
}

TEST_F(Unpack, StopsOnRequest) {
  {
    Forge(tar(), "none").file("a", "1");
  }
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(unpack_archive(tar(), inside(), {}, {}, source.get_token()).error().code,
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace hone
