#include "build_integration/linker/link_settings.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace hone {
namespace {

using namespace std::chrono_literals;

class Settings : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"HONE_LINK_PROGRAM", "HONE_LINK_COPIES", "HONE_LINK_SECONDS"}) {
      unsetenv(name);
    }
  }
};

TEST_F(Settings, AskForNothingByDefault) {
  const LinkSettings settings = read_link_settings();
  EXPECT_FALSE(settings.want("app"));
  EXPECT_EQ(settings.time, 10s);
}

TEST_F(Settings, WantAProgramByTheLastPartOfItsPath) {
  setenv("HONE_LINK_PROGRAM", "bin/app", 1);
  setenv("HONE_LINK_COPIES", "7", 1);
  setenv("HONE_LINK_SECONDS", "3", 1);
  const LinkSettings settings = read_link_settings();
  EXPECT_EQ(settings.copies, 7U);
  EXPECT_EQ(settings.time, 3s);
  for (const char* output : {"app", "bin/app", "../x/app", "/abs/app"}) {
    EXPECT_TRUE(settings.want(output)) << output;
  }
  for (const char* output : {"", "ap", "app2", "bin/app/", "app.hone-link-1"}) {
    EXPECT_FALSE(settings.want(output)) << output;
  }
}

TEST_F(Settings, TakeWhatIsNoNumberForNone) {
  setenv("HONE_LINK_PROGRAM", "app", 1);
  for (const char* copies : {"", "x", "-1", "7x", "64", "99999999999999999999"}) {
    setenv("HONE_LINK_COPIES", copies, 1);
    EXPECT_FALSE(read_link_settings().want("app")) << copies;
  }
  setenv("HONE_LINK_SECONDS", "soon", 1);
  EXPECT_EQ(read_link_settings().time, 10s);
}

}  // namespace
}  // namespace hone
