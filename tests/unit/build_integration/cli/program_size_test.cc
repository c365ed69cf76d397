#include "build_integration/cli/program_size.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "staging/runner/elf_sections.h"

namespace hone {
namespace {

std::string refused(const Arguments& command, Metric metric,
                    const std::vector<std::string>& environment = {}) {
  const Result<double> size = program_size(command, environment, metric);
  if (size) {
    return "accepted";
  }
  EXPECT_EQ(size.error().code, ErrorCode::invalid_argument);
  return size.error().message;
}

TEST(ProgramSize, IsThatOfTheFileThatTheCommandBeginsWith) {
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
  const Result<double> code = program_size({"true", "-x"}, environment, Metric::text_bytes);
  ASSERT_TRUE(code.has_value()) << code.error().message;
  EXPECT_EQ(*code, static_cast<double>(text_bytes("/usr/bin/true")));
  const Result<double> file = program_size({"/usr/bin/true"}, {}, Metric::binary_bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(*file, static_cast<double>(std::filesystem::file_size("/usr/bin/true")));
}

TEST(ProgramSize, AScriptHasNone) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("size-test");
  ASSERT_TRUE(folder.has_value());
  const std::filesystem::path script = folder->path() / "bench.sh";
  ASSERT_TRUE(write_file_atomically(script, "#!/bin/sh\ntrue\n", 0755).has_value());
  for (const Metric metric : {Metric::text_bytes, Metric::binary_bytes}) {
    const std::string why = refused({script.string()}, metric);
    EXPECT_NE(why.find(script.string() + " is no ELF file"), std::string::npos) << why;
    EXPECT_NE(why.find(to_string(metric)), std::string::npos) << why;
  }
}

TEST(ProgramSize, AProgramThatIsNotThereHasNone) {
  EXPECT_NE(refused({"true"}, Metric::text_bytes, {"PATH=/no/such"}).find("no program 'true'"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
