#include "staging/runner/elf_sections.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/subprocess.h"

namespace hone {
namespace {

TEST(ElfSections, SizeOfTheCodeIsWhatReadelfSays) {
  // The sections whose flags hold X, for execute.
  Command command;
  command.arguments = {"sh", "-c",
                       "readelf -SW /usr/bin/git | sed -n 's/^ *\\[ *[0-9]*\\] [^ ]*  *[A-Z_]*  *"
                       "[0-9a-f]* [0-9a-f]* \\([0-9a-f]*\\) [0-9a-f]*  *[A-Z]*X.*/\\1/p'"};
  command.environment = {"PATH=/usr/bin:/bin"};
  const Result<RunReport> report = run(command);
  ASSERT_TRUE(report.has_value());
  std::istringstream sizes(report->stdout_text);
  std::int64_t sum = 0;
  std::size_t sections = 0;
  for (std::string size; sizes >> size; ++sections) {
    sum += std::stoll(size, nullptr, 16);
  }
  ASSERT_GE(sections, 3U) << report->stdout_text;  // .init, .plt, .text at least
  EXPECT_EQ(text_bytes("/usr/bin/git"), sum);
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

TEST(ElfSections, KnowsAnElfFileByItsBeginning) {
  EXPECT_TRUE(is_elf("/usr/bin/true"));
  EXPECT_FALSE(is_elf("/etc/passwd"));
  EXPECT_FALSE(is_elf("/no/such/file"));
}

}  // namespace
}  // namespace hone
