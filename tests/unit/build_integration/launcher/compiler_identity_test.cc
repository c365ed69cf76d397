#include "build_integration/launcher/compiler_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

TEST(CompilerIdentity, ReadsVersionTexts) {
  CompilerIdentity identity =
      parse_version_text("Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64-pc-linux-gnu\n");
  EXPECT_EQ(identity.family, "clang");
  EXPECT_EQ(identity.major, 19);
  EXPECT_EQ(identity.target, "x86_64-pc-linux-gnu");
  identity = parse_version_text("clang version 16.0.6\n");
  EXPECT_EQ(identity.major, 16);
  identity = parse_version_text(
      "g++ (Debian 12.2.0-14+deb12u1) 12.2.0\n"
      "Copyright (C) 2022 Free Software Foundation, Inc.\n");
  EXPECT_EQ(identity.family, "gcc");
  EXPECT_EQ(identity.major, 12);
  for (const char* text : {"", "icc version 19", "clang version ", "clang version x",
                           "distcc 3.4 x86_64-pc-linux-gnu"}) {
    EXPECT_EQ(parse_version_text(text).family, "") << text;
  }
}

class WrapperScript : public testing::Test {
 protected:
  void write(std::string_view script) {
    ASSERT_TRUE(write_file_atomically(path_, "#!/bin/sh\n" + std::string(script), 0755));
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("compiler-identity-test");
  std::string path_ = (folder_.path() / "clang-14").string();
  StateFolder state_{(folder_.path() / "state").string()};
};

TEST_F(WrapperScript, IsAskedWhateverItsName) {
  write("echo clang version 19.1.7; echo Target: aarch64-unknown-linux-gnu");
  const CompilerIdentity identity = identify_compiler(path_, state_);
  EXPECT_EQ(identity.family, "clang");
  EXPECT_EQ(identity.major, 19);
  EXPECT_EQ(identity.path, path_);
  EXPECT_EQ(identity.target, "aarch64-unknown-linux-gnu");
  EXPECT_FALSE(identity.is_program);
}

TEST(CompilerProgram, IsAnElfFileUnderACompilersName) {
  const TemporaryFolder folder = *TemporaryFolder::create("compiler-identity-test");
  const std::string path = (folder.path() / "clang-14").string();
  ASSERT_EQ(::symlink("/proc/self/exe", path.c_str()), 0);
  EXPECT_FALSE(is_compiler_program(path));  // this test's name counts
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_TRUE(write_file_atomically(path,
                                    "\x7f"
                                    "ELF...",
                                    0755));
  EXPECT_TRUE(is_compiler_program(path));
  ASSERT_TRUE(write_file_atomically(path, "#!/bin/sh", 0755));
  EXPECT_FALSE(is_compiler_program(path));
  EXPECT_FALSE(is_compiler_program("/no/such/clang-14"));
}

TEST_F(WrapperScript, IsAskedOnceUntilItChanges) {
  write("echo x >> " + path_ + ".asked; echo clang version 19.1.7; echo Target: x-y");
  const auto asked = [&] { return read_file(path_ + ".asked", 100)->size() / 2; };
  identify_compiler(path_, state_);
  EXPECT_EQ(identify_compiler(path_, state_).major, 19);
  EXPECT_EQ(asked(), 1U);
  write("echo x >> " + path_ + ".asked; echo clang version 16.0.6; echo Target: x-y");
  EXPECT_EQ(identify_compiler(path_, state_).major, 16);
  EXPECT_EQ(asked(), 2U);
}

TEST_F(WrapperScript, OfAGccIsAskedForItsMachineToo) {
  const std::string version =
      "echo 'arm-gcc (x) 12.2.0'; echo 'Copyright (C) 2022 Free Software Foundation, Inc.'";
  write("case $1 in -dumpmachine) echo arm-none-eabi;; *) " + version + ";; esac");
  for (int time = 0; time < 2; ++time) {  // asked, then remembered
    const CompilerIdentity identity = identify_compiler(path_, state_);
    EXPECT_EQ(identity.family, "gcc");
    EXPECT_EQ(identity.major, 12);
    EXPECT_EQ(identity.target, "arm-none-eabi");
  }
  write("case $1 in -dumpmachine) exit 1;; *) " + version + ";; esac");
  EXPECT_EQ(identify_compiler(path_, state_).family, "");
}

#if defined(__x86_64__)
TEST_F(WrapperScript, OfAGccIsAskedForItsMacrosToo) {
  const auto script = [](std::string_view macros) {
    return "case $1 in -dumpmachine) echo x86_64-linux-gnu;; -dM) printf '" + std::string(macros) +
           "';; *) echo 'gcc 12.2.0'; echo 'Free Software Foundation';; esac";
  };
  write(script("#define __x86_64__ 1\\n#define __LP64__ 1\\n"));
  EXPECT_EQ(identify_compiler(path_, state_).target, "x86_64-linux-gnu");
  write(script("#define __i386__ 1\\n#define __ILP32__ 1\\n"));
  EXPECT_EQ(identify_compiler(path_, state_).target, "other(x86_64-linux-gnu)");
}
#endif

TEST_F(WrapperScript, ThatFailsIsUnknown) {
  write("exit 1");
  EXPECT_EQ(identify_compiler(path_, state_).family, "");
  EXPECT_EQ(identify_compiler("/no/such/compiler", state_).family, "");
  EXPECT_EQ(identify_compiler("no-such-compiler-in-path", state_).family, "");
}

TEST(CompilerCache, IsKnownByName) {
  EXPECT_TRUE(is_compiler_cache("ccache"));
  EXPECT_TRUE(is_compiler_cache("/usr/bin/sccache"));
  EXPECT_FALSE(is_compiler_cache("/usr/lib/ccache/clang++"));
}

}  // namespace
}  // namespace hone
