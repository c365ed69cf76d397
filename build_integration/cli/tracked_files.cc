#include "build_integration/cli/tracked_files.h"

#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/environment.h"
#include "common/base/subprocess.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxListing = std::size_t{64} << 20U;

bool lies_in_checkout(const fs::path& folder) {
  std::error_code ignored;  // what cannot be looked at is no checkout of ours
  for (fs::path at = fs::canonical(folder, ignored); !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", ignored)) {
      return true;
    }
    if (at == at.parent_path()) {
      break;
    }
  }
  return false;
}

Command git_command(const fs::path& folder, std::vector<std::string> arguments) {
  Command command;
  // No program of the checkout's own configuration is started for a listing, so that it may be
  // somebody else's (root in a container, where the tree was mounted).
  command.arguments = {"git",      "-c", "core.fsmonitor=false", "-c", "safe.directory=*",
                       "ls-files", "-z"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = current_environment();
  // A hook's variables name another checkout.
  std::erase_if(command.environment, [](const std::string& variable) {
    return variable.starts_with("GIT_DIR=") || variable.starts_with("GIT_WORK_TREE=") ||
           variable.starts_with("GIT_INDEX_FILE=") || variable.starts_with("GIT_PREFIX=");
  });
  set_variable(command.environment, "LC_ALL", "C");
  command.working_folder = folder;
  command.capture_limit = kMaxListing;
  command.limits.wall_time = std::chrono::minutes(2);
  return command;
}

// Nothing where git says that this is no checkout after all.
Result<std::optional<std::set<std::string, std::less<>>>> list(const fs::path& folder,
                                                               std::vector<std::string> arguments,
                                                               const std::stop_token& stop) {
  using Names = std::set<std::string, std::less<>>;
  const Result<RunReport> report = run(git_command(folder, std::move(arguments)), stop);
  if (!report) {
    return report.error().within(folder.string() +
                                 " is a git checkout, and git is needed to tell what belongs to "
                                 "it (or give --all-files)");
  }
  if (report->end == RunEnd::stopped) {
    return fail(ErrorCode::cancelled, "listing the checkout's files was stopped");
  }
  if (!report->ok()) {
    if (report->stderr_text.find("not a git repository") != std::string::npos) {
      return std::optional<Names>();
    }
    return fail(ErrorCode::conflict,
                fmt::format("git does not tell which files belong to {} (or give --all-files): {}",
                            folder.string(),
                            report->stderr_text.empty() ? report->describe_end()
                                                        : std::string(trim(report->stderr_text))));
  }
  if (report->stdout_dropped > 0) {
    return fail(ErrorCode::too_large,
                folder.string() + " holds more files than can be listed in 64 MiB");
  }
  Names names;
  for (const std::string_view name : split(report->stdout_text, '\0')) {
    if (!name.empty()) {
      names.emplace(name);
    }
  }
  return std::optional<Names>(std::move(names));
}

}  // namespace

Result<std::optional<TrackedFiles>> tracked_files(const fs::path& folder,
                                                  const std::stop_token& stop) {
  if (!lies_in_checkout(folder)) {
    return std::optional<TrackedFiles>();
  }
  HONE_TRY(auto tracked, list(folder, {"--cached", "--recurse-submodules"}, stop));
  if (!tracked || tracked->empty()) {
    return std::optional<TrackedFiles>();
  }
  HONE_TRY(auto others, list(folder, {"--others", "--exclude-standard"}, stop));
  TrackedFiles files;
  files.tracked = *std::move(tracked);
  if (others) {
    files.others = *std::move(others);
  }
  return std::optional<TrackedFiles>(std::move(files));
}

}  // namespace hone
