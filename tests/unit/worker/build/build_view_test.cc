#include "worker/build/build_view.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace hone {
namespace {

const EnvironmentFolders kFolders = {.workspace = "/w",
                                     .source = "/w/source",
                                     .root = "/w/source",
                                     .home = "/w/home",
                                     .temporary = "/w/tmp-s000",
                                     .object_cache = "/ccache",
                                     .shared_objects = "/w/objects",
                                     .state = "/w/state-s000",
                                     .policy = "/w/policy-s000"};

bool contains(const std::vector<std::filesystem::path>& list, const std::string& path) {
  return std::find(list.begin(), list.end(), path) != list.end();
}

TEST(BuildView, ABuildWritesItsOwnFoldersAndNeverTheSource) {
  const SandboxView view = build_view(kFolders, "/w/build-s000", "/w/bin", 100);
  for (const char* path : {"/w/build-s000", "/w/home", "/w/tmp-s000", "/ccache", "/w/state-s000"}) {
    EXPECT_TRUE(contains(view.writable, path)) << path;
  }
  for (const char* path : {"/w/source", "/w/bin", "/w/policy-s000", "/w/objects"}) {
    EXPECT_TRUE(contains(view.readable, path)) << path;
    EXPECT_FALSE(contains(view.writable, path)) << path;
  }
  EXPECT_FALSE(contains(view.readable, "/w")) << "other slots' folders are none of its business";
  EXPECT_EQ(view.network, NetworkUse::none);
  EXPECT_EQ(view.memory_bytes, std::uint64_t{100} << 20U);
}

TEST(BuildView, TheBaselineAloneWritesWhatAllShare) {
  EnvironmentFolders baseline = kFolders;
  baseline.policy.clear();
  EXPECT_TRUE(
      contains(build_view(baseline, "/w/build-base", "/w/bin", 100).writable, "/w/objects"));
  EXPECT_EQ(object_cache_settings(baseline), "remote_storage = file:/w/objects\n");
  EXPECT_EQ(object_cache_settings(kFolders), "remote_storage = file:/w/objects|read-only\n");
  baseline.shared_objects = "/w x/objects";
  EXPECT_EQ(object_cache_settings(baseline), "");
}

TEST(BuildView, AFetchStepHasTheNetworkAndWritesTheSource) {
  const SandboxView view = fetch_view(kFolders, 100);
  EXPECT_EQ(view.network, NetworkUse::open);
  EXPECT_TRUE(contains(view.writable, "/w/source"));
  EXPECT_FALSE(contains(view.writable, "/ccache"));
}

}  // namespace
}  // namespace hone
