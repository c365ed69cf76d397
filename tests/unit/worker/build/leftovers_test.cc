#include "worker/build/leftovers.h"

#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(Leftovers, OfAKilledWorkerGoAndWhatIsOfUseStays) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("leftovers-test");
  ASSERT_TRUE(folder.has_value());
  const fs::path workspace = folder->path() / "lz4" / "0123456789abcdef";
  const std::set<std::string> stays = {
      "source",      "bin",         "build-base", "baseline.json", "build-s000",
      "ccache-s000", "in-use-s000", "build-s001", "home-base",     "objects",
      "state-s001",  "tmp-s000",    "bench-s000", "step-s001.log", "measured.ndjson"};
  const std::set<std::string> goes = {
      "kept-s000-00", "kept-s003-12", "build-c000", "prepared-c001", "home-a000",
      "ccache-p001",  "state-p001",   "bin-p000",   "step-p000.log", "build-s002",
      "ccache-s017",  "policy-a001",  "build-sanb", "home-sanb"};
  const auto make = [&](const std::set<std::string>& names) {
    for (const std::string& name : names) {
      fs::create_directories(workspace / name);
      std::ofstream(workspace / name / "file") << "x";
    }
  };
  make(stays);
  make(goes);
  remove_leftovers(folder->path(), 2);
  EXPECT_EQ(names_in(workspace), stays);
  // A baseline with sanitizers that is whole is of use.
  make({"build-sanb"});
  std::ofstream(workspace / "sanitized.json") << "{}";
  remove_leftovers(folder->path(), 2);
  EXPECT_TRUE(fs::exists(workspace / "build-sanb"));
}

TEST(Leftovers, NothingThereIsNoError) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("leftovers-test");
  ASSERT_TRUE(folder.has_value());
  remove_leftovers(folder->path() / "nothing", 1);
  EXPECT_TRUE(fs::is_empty(folder->path()));
}

}  // namespace
}  // namespace hone
