// On files like the kernel's: machines that measure energy are rare.
#include "staging/counters/energy_counter.h"

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class Energy : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("energy-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
  }
  void zone(const std::string& name, const std::string& what, const std::string& microjoules) {
    const fs::path folder = folder_->path() / name;
    fs::create_directories(folder);
    put(folder / "name", what);
    put(folder / "max_energy_range_uj", "1000000000");
    put(folder / "energy_uj", microjoules);
  }
  static void put(const fs::path& file, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(file, text + "\n").has_value());
  }
  Result<EnergyCounter> create() { return EnergyCounter::create(folder_->path()); }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(Energy, IsTheSumOverPackagesAlone) {
  zone("intel-rapl:0", "package-0", "5000000");
  zone("intel-rapl:0:0", "core", "1000000");
  zone("intel-rapl:1", "package-1", "7000000");
  zone("intel-rapl:2", "psys", "9000000");
  Result<EnergyCounter> counter = create();
  ASSERT_TRUE(counter.has_value()) << counter.error().message;
  Command command;
  SandboxView view;
  ASSERT_TRUE(counter->start(command, view).has_value());
  zone("intel-rapl:0", "package-0", "6500000");
  zone("intel-rapl:0:0", "core", "2000000");
  zone("intel-rapl:1", "package-1", "7250000");
  zone("intel-rapl:2", "psys", "19000000");
  EXPECT_NEAR(*counter->finish(), 1.75, 1e-9);
}

TEST_F(Energy, GoesOnWhereTheCounterStartsAgain) {
  zone("intel-rapl:0", "package-0", "999000000");
  Result<EnergyCounter> counter = create();
  ASSERT_TRUE(counter.has_value());
  Command command;
  SandboxView view;
  ASSERT_TRUE(counter->start(command, view).has_value());
  zone("intel-rapl:0", "package-0", "2000000");
  EXPECT_NEAR(*counter->finish(), 3, 1e-9);
}

TEST_F(Energy, AMachineWithoutIsToldSo) {
  zone("intel-rapl:0:0", "core", "1");
  const Result<EnergyCounter> none = create();
  ASSERT_TRUE(none.has_error());
  EXPECT_EQ(none.error().code, ErrorCode::unsupported);
  EXPECT_NE(none.error().message.find("virtual machines"), std::string::npos);
  EXPECT_TRUE(EnergyCounter::create("/no/such/folder").has_error());
}

TEST_F(Energy, AnUnreadableCounterIsNamed) {
  zone("intel-rapl:0", "package-0", "5000000");
  fs::remove(folder_->path() / "intel-rapl:0/energy_uj");
  const Result<EnergyCounter> counter = create();
  ASSERT_TRUE(counter.has_error());
  EXPECT_EQ(counter.error().code, ErrorCode::unsupported);
  EXPECT_NE(counter.error().message.find("intel-rapl:0/energy_uj"), std::string::npos);
}

}  // namespace
}  // namespace hone
