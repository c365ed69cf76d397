#include "worker/build/system_state.h"

#include <fstream>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

TEST(SystemState, ChangesWithPackagesAndPrograms) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("system-state-test");
  ASSERT_TRUE(folder.has_value());
  const std::filesystem::path database = folder->path() / "status";
  Toolchain toolchain;
  toolchain.launcher = (folder->path() / "hone-cc").string();
  const auto state = [&] { return system_state(toolchain, {database}); };
  const std::string nothing = state();
  std::ofstream(database) << "one package";
  const std::string one = state();
  EXPECT_NE(one, nothing);
  EXPECT_EQ(state(), one);
  std::ofstream(toolchain.launcher) << "a launcher";
  const std::string launched = state();
  EXPECT_NE(launched, one);
  std::filesystem::last_write_time(
      database, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_NE(state(), launched);
}

}  // namespace
}  // namespace hone
