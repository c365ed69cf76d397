// Reading callgrind's output, and whose cost a header's function is.
#include "staging/counters/callgrind_profile.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// a.c and b.c are compiled, each with h.h; libc sorts with a comparison of b.c's. 40 + 60 are spent
// in a function of the header, which a.c calls for 30 and b.c for 90 (with what it calls in turn).
constexpr const char* kOutput = R"(# callgrind format
version: 1
creator: callgrind-3.19.0
positions: line
events: Ir
summary: 1200

ob=/build/bench
fl=/src/a.c
fn=main
3 100
cob=/lib/libc.so.6
cfi=sort.c
cfn=qsort
calls=1 9
4 700
cfi=/src/h.h
cfn=inlined
calls=2 1
5 30
fi=/src/h.h
1 50
fe=/src/a.c
6 50

fl=/src/b.c
fn=compare
8 300
cfi=/src/h.h
cfn=inlined
calls=3 1
9 90

fl=/src/h.h
fn=inlined
2 40
3 60

ob=/lib/libc.so.6
fl=sort.c
fn=qsort
1 600
cob=/build/bench
cfi=/src/b.c
cfn=compare
calls=5 8
2 390

totals: 1200
)";

std::string compiled(const std::string& file) {
  return file.ends_with(".c") ? file.substr(file.rfind('/') + 1) : "";
}

TEST(CallgrindProfile, AHeadersCostIsItsCallers) {
  const Result<CallgrindProfile> profile = CallgrindProfile::parse(kOutput);
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_EQ(profile->total(), 1200U);
  const std::map<std::string, double> files = profile->by_source("/build", compiled);
  // Inlined code is of the function that it stands in; the library's is nobody's.
  EXPECT_EQ(files.size(), 2U);
  EXPECT_DOUBLE_EQ(files.at("a.c"), 200 + 100 * 30.0 / 120);
  EXPECT_DOUBLE_EQ(files.at("b.c"), 300 + 100 * 90.0 / 120);
}

TEST(CallgrindProfile, FunctionsThatCallEachOtherWithoutASourceAreLeftOut) {
  const Result<CallgrindProfile> profile = CallgrindProfile::parse(
      "fl=/src/h.h\nob=/build/bench\nfn=even\n1 10\ncfn=odd\ncalls=1 1\n1 10\n"
      "fn=odd\n1 10\ncfn=even\ncalls=1 1\n1 10\n");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_TRUE(profile->by_source("/build", compiled).empty());
}

TEST(CallgrindProfile, WhatIsNoSuchFileIsRefusedByItsLine) {
  for (const auto& [text, said] :
       {std::pair("", "holds no cost"), std::pair("fn=main\n3 x\n", "line 2"),
        std::pair("3 100\n", "line 1"), std::pair("fn=main\ncalls=1 2\n3 4\n", "line 2"),
        std::pair("summary: 7\n", "holds no cost")}) {
    const Result<CallgrindProfile> profile = CallgrindProfile::parse(text);
    ASSERT_FALSE(profile.has_value()) << text;
    EXPECT_EQ(profile.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(profile.error().message.find(said), std::string::npos) << profile.error().message;
  }
}

}  // namespace
}  // namespace hone
