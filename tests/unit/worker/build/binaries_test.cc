#include "worker/build/binaries.h"

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/subprocess.h"
#include "worker/build/elf_sections.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(ElfSections, SizeOfTextIsWhatReadelfSays) {
  Command command;
  command.arguments = {"sh", "-c",
                       "readelf -SW /usr/bin/git | sed -n 's/.* \\.text *PROGBITS *[0-9a-f]* "
                       "[0-9a-f]* \\([0-9a-f]*\\).*/\\1/p'"};
  command.environment = {"PATH=/usr/bin:/bin"};
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  ASSERT_FALSE(report->stdout_text.empty());
  EXPECT_EQ(text_bytes("/usr/bin/git"), std::stoll(report->stdout_text, nullptr, 16));
}

TEST(ElfSections, IsZeroForWhatIsNoElfFileOrCutShort) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("elf-test");
  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ(text_bytes(folder->path() / "none"), 0);
  EXPECT_EQ(text_bytes("/etc/passwd"), 0);
  const std::string whole = *read_file("/usr/bin/true", std::size_t{16} << 20U);
  EXPECT_GT(text_bytes("/usr/bin/true"), 0);
  for (std::size_t size = 1; size < whole.size(); size += 997) {
    ASSERT_TRUE(write_file_atomically(folder->path() / "cut", whole.substr(0, size)).has_value());
    EXPECT_EQ(text_bytes(folder->path() / "cut"), 0) << size;
  }
}

TEST(Binaries, DescribesThemAndNamesTheMissingOne) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("binaries-test");
  ASSERT_TRUE(folder.has_value());
  ASSERT_TRUE(write_file_atomically(folder->path() / "a", "abc").has_value());
  const Result<std::vector<BinaryInfo>> found = describe_binaries(folder->path(), {"a"});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->front().sha256, sha256_hex("abc"));
  EXPECT_EQ(found->front().size_bytes, 3);
  const Result<std::vector<BinaryInfo>> missing = describe_binaries(folder->path(), {"a", "lib/b"});
  ASSERT_TRUE(missing.has_error());
  EXPECT_NE(missing.error().message.find("lib/b"), std::string::npos);
}

TEST(Binaries, TheKeyTellsContentsAndNamesApart) {
  const auto key = [](const std::string& path, const std::string& sha256) {
    BinaryInfo binary;
    binary.path = path;
    binary.sha256 = sha256;
    return binaries_key({binary});
  };
  EXPECT_EQ(key("a", "1"), key("a", "1"));
  EXPECT_NE(key("a", "1"), key("a", "2"));
  EXPECT_NE(key("a", "1"), key("b", "1"));
  EXPECT_EQ(binaries_key({}), "") << "nothing is known about a build without binaries";
}

}  // namespace
}  // namespace hone
