#include "build_integration/launcher/settings.h"

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

namespace hone {
namespace {

Result<Settings> read(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "hone-cc");
  return read_settings(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Settings, FlagsBeatTheEnvironment) {
  ::setenv("HONE_POLICY", "/from/environment", 1);
  ::setenv("HONE_ON_FAILURE", "error", 1);
  EXPECT_EQ(read({"cc", "-c"})->policy, "/from/environment");
  EXPECT_EQ(read({"cc", "-c"})->on_failure, OnFailure::error);
  const Settings settings = *read({"--policy=/flag", "--on-failure=plain", "cc", "--policy=x"});
  EXPECT_EQ(settings.policy, "/flag");
  EXPECT_EQ(settings.on_failure, OnFailure::plain);
  EXPECT_EQ(settings.command, 3);
  ::unsetenv("HONE_POLICY");
  ::unsetenv("HONE_ON_FAILURE");
}

TEST(Settings, AMisspelledVariableBreaksNoBuild) {
  ::setenv("HONE_ON_FAILURE", "eror", 1);
  EXPECT_EQ(read({"cc"})->on_failure, OnFailure::plain);
  ::unsetenv("HONE_ON_FAILURE");
  EXPECT_FALSE(read({"cc"})->log_without_policy);
  ::setenv("HONE_LOG_WITHOUT_POLICY", "yes", 1);
  EXPECT_FALSE(read({"cc"})->log_without_policy);
  ::setenv("HONE_LOG_WITHOUT_POLICY", "1", 1);
  EXPECT_TRUE(read({"cc"})->log_without_policy);
  ::unsetenv("HONE_LOG_WITHOUT_POLICY");
}

TEST(Settings, RefusesUnknownFlagsAndMissingCompilers) {
  EXPECT_FALSE(read({}).has_value());
  EXPECT_FALSE(read({"--policy=x"}).has_value());
  EXPECT_FALSE(read({"--explain"}).has_value());
  EXPECT_FALSE(read({"--colour", "cc"}).has_value());
  EXPECT_FALSE(read({"--on-failure=maybe", "cc"}).has_value());
  EXPECT_EQ(read({"--reset"})->action, Action::reset);
  EXPECT_TRUE(read({"--named-decisions", "cc"})->named_decisions);
  EXPECT_EQ(read({"--version"})->action, Action::version);
}

}  // namespace
}  // namespace hone
