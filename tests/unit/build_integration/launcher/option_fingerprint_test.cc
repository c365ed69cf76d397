#include "build_integration/launcher/option_fingerprint.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace hone {
namespace {

std::string fingerprint(std::string_view text, std::string_view root = "/root/one") {
  std::vector<std::string> arguments;
  for (const std::string_view part : split(text, ' ')) {
    arguments.emplace_back(part);
  }
  return option_fingerprint(scan_command_line("clang++", arguments).options, SourceRoot(root));
}

TEST(OptionFingerprint, IsHexadecimal) {
  const std::string text = fingerprint("-O3 -c a.cc");
  EXPECT_EQ(text.size(), 32U);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(OptionFingerprint, IgnoresWhatSaysNothingAboutTheCode) {
  EXPECT_EQ(fingerprint("-O3 -c a.cc -o a.o"),
            fingerprint("-Wall -Wno-x -w -O3 -MD -MF d -MT t -pipe -fcolor-diagnostics "
                        "-fdiagnostics-show-option -c b.cc -ob.o"));
}

TEST(OptionFingerprint, TellsOptionsApart) {
  const std::string base = fingerprint("-O3 -c a.cc");
  for (const char* other : {"-O2 -c a.cc", "-O3 -fPIC -c a.cc", "-O3 -DX -c a.cc",
                            "-O3 -Iinc -c a.cc", "-O3 -g -c a.cc", "-O3 -Wa,-x -c a.cc",
                            "-O3 -mllvm -x=1 -c a.cc", "-O3 -std=c++20 -c a.cc"}) {
    EXPECT_NE(fingerprint(other), base) << other;
  }
  EXPECT_NE(fingerprint("-DA -DB -c a.cc"), fingerprint("-DB -DA -c a.cc"));
  EXPECT_NE(fingerprint("-D A -c a.cc"), fingerprint("-U A -c a.cc"));
}

TEST(OptionFingerprint, IsTheSameInAnotherCheckout) {
  constexpr std::string_view kOne =
      "-O3 -I/root/one/inc -isystem /root/one/sys -ffile-prefix-map=/root/one/src=. "
      "-fmodule-file=m=/root/one/m.pcm --sysroot=/root/one/sys -c /root/one/a.cc";
  constexpr std::string_view kTwo =
      "-O3 -I/two/inc -isystem /two/sys -ffile-prefix-map=/two/src=. "
      "-fmodule-file=m=/two/m.pcm --sysroot=/two/sys -c /two/a.cc";
  EXPECT_EQ(fingerprint(kOne, "/root/one"), fingerprint(kTwo, "/two"));
  EXPECT_NE(fingerprint(kOne, "/root/one"), fingerprint(kTwo, "/elsewhere"));
}

TEST(OptionFingerprint, SpellingOfPathOptionsDoesNotMatter) {
  EXPECT_EQ(fingerprint("-I /root/one/inc -c a.cc"), fingerprint("-I/root/one/./inc -c a.cc"));
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(fingerprint("-Iinc -c a.cc", here), fingerprint("-I" + here + "/inc -c a.cc", here));
}

}  // namespace
}  // namespace hone
