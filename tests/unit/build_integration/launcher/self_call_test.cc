#include "build_integration/launcher/self_call.h"

#include <stdlib.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

class ProgramToCall : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("HONE_CALLING");
  }
  void TearDown() override {
    ::setenv("PATH", old_path_.c_str(), 1);
    ::unsetenv("HONE_CALLING");
  }
  std::string script(const std::string& name) {
    const std::string file = (folder_.path() / name).string();
    EXPECT_TRUE(write_file_if_changed(file, "#!/bin/sh\n"));
    EXPECT_EQ(::system(("/bin/chmod +x " + file).c_str()), 0);
    return file;
  }
  static std::string called(std::string_view name) {
    const Result<std::string> program = program_to_call(name);
    return program ? *program : "error";
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("self-call-test");
  std::string path_ = folder_.path().string() + "/a:" + folder_.path().string() + "/b";
  std::string old_path_ = ::getenv("PATH");
};

TEST_F(ProgramToCall, WhoComesUpAThirdTimeIsPassedOver) {
  script("a/cc");
  EXPECT_EQ(called("cc"), "");
  EXPECT_EQ(called("cc"), "");
  EXPECT_EQ(called("cc"), "error");
  const std::string next = script("b/cc");
  EXPECT_EQ(called("cc"), next);
  // Another script in between counts for itself.
  script("a/c++");
  EXPECT_EQ(called("c++"), "");
}

TEST_F(ProgramToCall, ACompilerEndsTheChain) {
  const std::string real = "/usr/lib/llvm-19/bin/clang";
  if (::access(real.c_str(), X_OK) != 0) {
    GTEST_SKIP() << "no " << real;
  }
  script("a/clang");
  script("b/x");
  ASSERT_EQ(::symlink(real.c_str(), (folder_.path() / "b/clang").c_str()), 0);
  called("clang");
  called("clang");
  EXPECT_NE(::getenv("HONE_CALLING"), nullptr);
  EXPECT_EQ(called("clang"), (folder_.path() / "b/clang").string());
  EXPECT_EQ(::getenv("HONE_CALLING"), nullptr);
}

TEST_F(ProgramToCall, APathIsTakenAsItIs) {
  const std::string file = script("a/cc");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(called(file), "");
  }
  EXPECT_EQ(::getenv("HONE_CALLING"), nullptr);
  EXPECT_EQ(called("no-such-program"), "");
}

TEST_F(ProgramToCall, NonsenseInTheVariableIsHarmless) {
  script("a/cc");
  ::setenv("HONE_CALLING", std::string(100000, ':').c_str(), 1);
  EXPECT_EQ(called("cc"), "");
  EXPECT_LT(std::string(::getenv("HONE_CALLING")).size(), 1000U);
}

}  // namespace
}  // namespace hone
