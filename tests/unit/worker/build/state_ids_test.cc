#include "worker/build/state_ids.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Words = std::vector<std::string>;

TEST(StateIds, BitcodeArgumentsKeepWhatShapesTheModule) {
  EXPECT_EQ(bitcode_arguments(
                {"/x/hone-cc", "/usr/bin/ccache", "/usr/bin/clang-19", "-DA=1", "-I/s/include",
                 "-O3", "-MD", "-MT", "a.o", "-MF", "a.o.d", "-o", "a.o", "-c", "/s/a.c"},
                "/s/a.c", "./a.c", "/t/module.bc"),
            (Words{"-DA=1", "-I/s/include", "-O3", "-Xclang", "-disable-llvm-passes", "-emit-llvm",
                   "-c", "./a.c", "-o", "/t/module.bc"}));
}

TEST(StateIds, NothingForWhatCompilesNoObject) {
  EXPECT_TRUE(bitcode_arguments({"cc", "-o", "a", "a.c"}, "a.c", "a.c", "x").empty());
  EXPECT_TRUE(bitcode_arguments({"cc", "-c", "b.c"}, "a.c", "a.c", "x").empty());
  EXPECT_TRUE(bitcode_arguments({"cc", "-c", "a.c", "-o"}, "a.c", "a.c", "x").empty());
  EXPECT_TRUE(bitcode_arguments({}, "a.c", "a.c", "x").empty());
}

}  // namespace
}  // namespace hone
