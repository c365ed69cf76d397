#include "worker/build/extra_build.h"

#include <algorithm>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/remove_tree.h"
#include "worker/artifacts/folders.h"
#include "worker/build/build_view.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr auto kLongestCopy = std::chrono::minutes(10);

EnvironmentFolders folders_of(const Workspace& workspace, const std::string& name,
                              bool with_policy) {
  EnvironmentFolders used = workspace.folders(name, with_policy);
  used.shared_objects.clear();
  return used;
}

fs::path wrappers_of(const Workspace& workspace, const std::string& name) {
  return workspace.folder() / ("bin-" + name);
}

// One link, since nothing of it is run to be timed.
TargetSpec with_one_link(TargetSpec target) {
  target.benchmark.links = 1;
  return target;
}

}  // namespace

fs::path extra_build_folder(const Workspace& workspace, const std::string& name) {
  return workspace.folder() / ("build-" + name);
}
fs::path prepared_folder(const Workspace& workspace, const std::string& name) {
  return workspace.folder() / ("prepared-" + name);
}
fs::path extra_compile_log(const Workspace& workspace, const std::string& name) {
  return folders_of(workspace, name, false).state / "compiles.ndjson";
}

Result<BuildReport> build_extra(const Workspace& workspace, const WorkspaceContext& context,
                                const ExtraBuild& wanted, StepLog& log,
                                const std::stop_token& stop) {
  const JobUser& user = context.users.of(wanted.slot);
  const EnvironmentFolders used = folders_of(workspace, wanted.name, wanted.policy.has_value());
  const fs::path build = extra_build_folder(workspace, wanted.name);
  const fs::path wrappers = wrappers_of(workspace, wanted.name);
  // An empty HOME, too: some build tools keep what they compiled there.
  for (const fs::path& folder : {build, used.home, used.temporary, used.object_cache, used.state}) {
    HONE_CHECK(make_empty_folder(folder, 0700, user.owner(), context.stopping));
  }
  Toolchain toolchain = context.toolchain;
  toolchain.ccache.clear();
  HONE_CHECK(make_folder(wrappers, 0755));
  HONE_CHECK(write_wrappers(wrappers, toolchain, wanted.variant.flags));
  if (wanted.policy) {
    HONE_CHECK(write_file_atomically(used.policy, *wanted.policy));
  }
  const TargetSpec target = with_one_link(workspace.target());
  BuildRequest request = {
      .target = target,
      .baseline = workspace.baseline_kind(),
      .toolchain = toolchain,
      .user = user,
      .folders = {workspace.source(), build, wrappers},
      .environment = build_environment(used, toolchain),
      .jobs = wanted.jobs,
      .sandbox = context.sandbox,
      .view = build_view(used, build, wrappers, target.build.memory_mib * std::max(1, wanted.jobs)),
      .variant = wanted.variant};
  // Of a product that calls ccache by itself.
  request.environment.emplace_back("CCACHE_DISABLE=1");
  request.environment.insert(request.environment.end(), wanted.environment.begin(),
                             wanted.environment.end());
  if (!wanted.variant.prepared.empty()) {
    request.view.readable.push_back(wanted.variant.prepared);
  }
  return build_product(request, log, stop);
}

Result<void> keep_prepared(const Workspace& workspace, const WorkspaceContext& context,
                           const ExtraBuild& made, StepLog& log, const std::stop_token& stop) {
  const JobUser& user = context.users.of(made.slot);
  const fs::path build = extra_build_folder(workspace, made.name);
  const fs::path prepared = prepared_folder(workspace, made.name);
  HONE_CHECK(make_empty_folder(prepared, 0700, user.owner(), context.stopping));
  Command command;
  command.arguments = copy_command(build, prepared);
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C"};
  command.working_folder = prepared;
  command.run_as = user.run_as;
  command.limits.wall_time = kLongestCopy;
  SandboxView view;
  view.readable = {build};
  view.writable = {prepared};
  HONE_TRY(const SandboxReport copied, log.run(std::move(command), context.sandbox, view, stop));
  if (!copied.run.ok()) {
    return fail(
        copied.run.end == RunEnd::stopped ? ErrorCode::cancelled : ErrorCode::io_failed,
        "copying a configured folder: " + copied.run.describe_end() + " " + copied.limit_met);
  }
  return {};
}

void remove_extra(const Workspace& workspace, const std::string& name, BuildFolder build) {
  const EnvironmentFolders used = folders_of(workspace, name, true);
  std::vector<fs::path> left = {used.home,
                                used.temporary,
                                used.object_cache,
                                used.state,
                                used.policy,
                                wrappers_of(workspace, name),
                                prepared_folder(workspace, name)};
  if (build == BuildFolder::remove) {
    left.push_back(extra_build_folder(workspace, name));
  }
  for (const fs::path& path : left) {
    if (const Result<void> removed = remove_tree(path, workspace.stopping()); !removed) {
      log_warning("extra_build_not_removed", {{"why", removed.error().message}});
    }
  }
}

}  // namespace hone
