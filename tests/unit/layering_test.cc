// The layers of ARCHITECTURE.md, checked on the include lines of every source file: who may use
// which of our folders, and which folder alone may use a third-party library.

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace hone {
namespace {

struct Include {
  std::string file;    // from the repository's root
  std::string folder;  // "common/base", or one level where a folder has files of its own
  std::string header;  // as written, without quotes or brackets
  bool ours = false;
};

const std::vector<std::string> kRoots = {"common", "engine",  "server",
                                         "worker", "staging", "build_integration"};

std::string folder_of(const std::string& path) {
  const std::vector<std::string_view> parts = split(path, '/');
  std::string folder(parts[0]);
  if (parts.size() > 2) {
    folder += "/" + std::string(parts[1]);
  }
  return folder;
}

std::vector<Include> all_includes() {
  std::vector<Include> includes;
  const std::filesystem::path root = HONE_SOURCE_DIR;
  for (const std::string& top : kRoots) {
    if (!std::filesystem::exists(root / top)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc") {
        continue;
      }
      const std::string file = std::filesystem::relative(entry.path(), root).string();
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) {
        const std::string_view text = trim(line);
        if (!text.starts_with("#include") || text.size() < 12) {
          continue;
        }
        const std::string_view name = trim(text.substr(8));
        const bool ours = name.front() == '"';
        const std::size_t end = name.find(ours ? '"' : '>', 1);
        includes.push_back({file, folder_of(file), std::string(name.substr(1, end - 1)), ours});
      }
    }
  }
  return includes;
}

// Folder -> the folders of ours it may include besides itself. "common" stands for any part of it.
const std::map<std::string, std::set<std::string>> kMayUse = {
    {"common/base", {}},
    {"common/choice", {}},
    {"common/json", {"common/base"}},
    {"common/yaml", {"common/base", "common/json"}},
    {"common/settings", {"common/base", "common/json", "common/yaml"}},
    {"common/net", {"common/base"}},
    {"common/archive", {"common/base"}},
    {"common/completion", {"common/base"}},
    {"common/links", {"common/base"}},
    {"common/stats", {"common/base"}},
    {"common/pipelines", {"common/base"}},
    {"common/policy", {"common/base", "common/choice", "common/json", "common/pipelines"}},
    {"common/sessions", {"common/base", "common/json", "common/pipelines"}},
    {"common/protocol", {"common/base", "common/json", "common/policy"}},
    {"common/search", {"common/base", "common/json", "common/pipelines", "common/policy"}},
    {"common/client", {"common/base", "common/json", "common/net", "common/protocol"}},
    {"engine", {"common", "engine"}},
    {"server", {"common", "server"}},
    {"server/learner", {"common", "build_integration/programs"}},
    {"worker", {"common", "staging", "worker"}},
    {"staging", {"common", "staging"}},
    {"build_integration/launcher",
     {"common/base", "common/choice", "common/policy", "common/pipelines"}},
    {"build_integration/linker", {"common/base", "common/links", "build_integration/launcher"}},
    {"build_integration/pass_plugin", {"common/choice", "engine/features"}},
    {"build_integration/programs", {"common", "staging/runner"}},
    {"build_integration/cli", {"common", "staging", "build_integration/programs"}},
};

bool may_use(const std::string& from, const std::string& to) {
  if (from == to) {
    return true;
  }
  const std::string top(split(from, '/')[0]);
  const auto rule = kMayUse.contains(from) ? kMayUse.find(from) : kMayUse.find(top);
  if (rule == kMayUse.end()) {
    return false;
  }
  if (to == "common/client") {
    // Nobody but these speaks to honed, and one to Prometheus.
    return from.starts_with("worker") || from == "build_integration/cli" ||
           from == "server/learner" || from == "server/canaries";
  }
  return rule->second.contains(to) || rule->second.contains(std::string(split(to, '/')[0]));
}

TEST(Layering, FoldersUseOnlyWhatTheyMay) {
  const std::vector<Include> includes = all_includes();
  ASSERT_GT(includes.size(), 100U) << "the sources were not found";
  for (const Include& include : includes) {
    if (include.ours) {
      EXPECT_TRUE(may_use(include.folder, folder_of(include.header)))
          << include.file << " includes " << include.header;
    }
  }
}

TEST(Layering, OurIncludesAreWrittenFromTheRoot) {
  for (const Include& include : all_includes()) {
    if (include.ours) {
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(HONE_SOURCE_DIR) / include.header))
          << include.file << " includes " << include.header;
    }
  }
}

// Library -> the only folders (prefixes) whose files may include its headers.
TEST(Layering, LibrariesStayInTheirFolders) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> confined = {
      {"libpq", {"server/store/pg"}},
      {"curl/", {"server/store/artifacts/s3_client.cc"}},
      {"boost/beast", {"server/http", "common/client", "common/net"}},
      {"llvm/", {"engine/", "build_integration/pass_plugin"}},
      {"prometheus/", {"server/"}},
      {"openssl/", {"common/base", "common/net", "common/policy"}},
      {"archive", {"common/archive"}},
      {"yaml-cpp/", {"common/yaml"}},
      {"histedit", {"build_integration/cli/line_editor"}},
      {"CLI/",
       {"common/completion", "common/settings", "server/main.cc", "server/backup/backup_command.cc",
        "server/learner/main.cc", "server/learner/commands", "worker/settings.cc",
        "build_integration/cli", "engine/session/main.cc"}},
      {"pugi", {"build_integration/cli"}},
      {"Eigen/", {"server/learner"}},
      {"simdjson", {"server/learner/buffer"}},
      {"xgboost/", {"server/learner/models"}},
      {"spdlog/", {"common/base"}},
      {"zlib.h", {"server/dashboard"}},
      {"seccomp", {"staging/sandbox", "engine/session"}},
  };
  for (const Include& include : all_includes()) {
    if (include.ours) {
      continue;
    }
    for (const auto& [library, folders] : confined) {
      if (!include.header.starts_with(library)) {
        continue;
      }
      bool allowed = false;
      for (const std::string& folder : folders) {
        allowed = allowed || include.file.starts_with(folder);
      }
      EXPECT_TRUE(allowed) << include.file << " includes " << include.header;
    }
  }
}

TEST(Layering, TheLauncherUsesNoJson) {
  for (const Include& include : all_includes()) {
    if (include.folder == "build_integration/launcher" || include.folder == "common/pipelines") {
      EXPECT_EQ(include.header.find("json"), std::string::npos) << include.file;
    }
  }
}

}  // namespace
}  // namespace hone
