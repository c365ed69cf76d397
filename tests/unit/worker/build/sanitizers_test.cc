#include "worker/build/sanitizers.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

const std::vector<Sanitizer> kBoth = {Sanitizer::address, Sanitizer::undefined};

TEST(Sanitizers, AReportIsItsFirstLinesAndItsSummary) {
  const std::optional<SanitizerReport> report = find_report(
      "reading\n=================================================================\n"
      "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x4 bp 0x7 sp "
      "0x8\n"
      "READ of size 1 at 0x602 thread T0\n    #0 0x4 in work work.c:3:10\n    #1 0x5 in main\n"
      "\n    #2\n    #3\n    #4\nSUMMARY: AddressSanitizer: heap-buffer-overflow work.c:3:10 in "
      "work\n"
      "Shadow bytes around the buggy address:\n");
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->proves);
  EXPECT_EQ(report->text,
            "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x4 bp 0x7 "
            "sp 0x8\nREAD of size 1 at 0x602 thread T0\n#0 0x4 in work work.c:3:10\n#1 0x5 in "
            "main\n#2\nSUMMARY: AddressSanitizer: heap-buffer-overflow work.c:3:10 in work");
}

TEST(Sanitizers, UndefinedBehaviourIsTold) {
  const auto report = find_report("a.c:4:9: runtime error: signed integer overflow: 1 + 2\n");
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->proves);
  EXPECT_EQ(report->text, "a.c:4:9: runtime error: signed integer overflow: 1 + 2");
}

TEST(Sanitizers, WhatAProgramSaysByItselfIsNoReport) {
  for (const char* const text :
       {"", "error: no AddressSanitizer here", "parser: runtime error: bad token\n",
        "SUMMARY: 3 files\n", "== 7 AddressSan\n"}) {
    EXPECT_FALSE(find_report(text).has_value()) << text;
  }
}

TEST(Sanitizers, WhatTheInstrumentationMayHaveBroughtAboutProvesNothing) {
  for (const char* const text :
       {"==7==ERROR: AddressSanitizer: stack-overflow on address 0x7ff\n",
        "==7==AddressSanitizer: hard rss limit exhausted (100Mb vs 120Mb)\n",
        "==7==ERROR: AddressSanitizer failed to allocate 0x1000 bytes of mmap\n"}) {
    const auto report = find_report(text);
    ASSERT_TRUE(report.has_value()) << text;
    EXPECT_FALSE(report->proves) << text;
  }
}

TEST(Sanitizers, OptionsNameAllOfThemOnce) {
  const std::vector<std::string> flags = sanitizer_flags(kBoth, "/w/build-a000");
  EXPECT_EQ(flags.at(0), "-fsanitize=address,undefined");
  EXPECT_NE(std::ranges::find(flags, "-ffile-prefix-map=/w/build-a000=build"), flags.end());
  EXPECT_EQ(sanitizer_flags({Sanitizer::undefined}, "/b").at(0), "-fsanitize=undefined");
}

TEST(Sanitizers, MemoryIsLimitedByTheRuntimeWhereAddressSpaceCannotBe) {
  const std::vector<std::string> both = sanitizer_environment(kBoth, std::uint64_t{512} << 20U);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NE(both[0].find("hard_rss_limit_mb=512"), std::string::npos) << both[0];
  EXPECT_NE(both[0].find("detect_leaks=0"), std::string::npos) << both[0];
  EXPECT_TRUE(reserve_address_space(kBoth));
  EXPECT_FALSE(reserve_address_space({Sanitizer::undefined}));
  EXPECT_EQ(memory_with_sanitizers({Sanitizer::undefined}, 1000), 1000U);
  EXPECT_GT(memory_with_sanitizers(kBoth, 1000), 3000U);
}

TEST(Sanitizers, AMissingLibraryIsToldWithItsPackage) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("sanitizers-test");
  ASSERT_TRUE(folder.has_value());
  Toolchain toolchain;
  toolchain.c_compiler = (folder->path() / "cc").string();
  toolchain.compiler_major = 19;
  // As clang answers for a file that it has not.
  ASSERT_TRUE(write_file_atomically(toolchain.c_compiler, "#!/bin/sh\necho \"${1#*=}\"\n", 0755)
                  .has_value());
  const Result<void> missing = find_sanitizer_runtime(toolchain, {}, {Sanitizer::undefined});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::unsupported);
  EXPECT_NE(missing.error().message.find("libclang-rt-19-dev"), std::string::npos);
  ASSERT_TRUE(write_file_atomically(toolchain.c_compiler, "#!/bin/sh\necho /etc/passwd\n", 0755)
                  .has_value());
  EXPECT_TRUE(find_sanitizer_runtime(toolchain, {}, kBoth).has_value());
}

}  // namespace
}  // namespace hone
