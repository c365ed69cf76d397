#include "worker/build/workspace.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/remove_tree.h"
#include "common/base/sha256.h"
#include "worker/artifacts/folders.h"
#include "worker/artifacts/stoppable_lock.h"
#include "worker/build/binaries.h"
#include "worker/build/build_view.h"
#include "worker/build/compile_log.h"
#include "worker/build/layouts.h"
#include "worker/build/source_fetch.h"
#include "worker/build/state_ids.h"
#include "worker/build/system_state.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBaselineName = "base";

PrepareReport ended(Outcome outcome, std::string reason) {
  PrepareReport report;
  report.outcome = outcome;
  report.reason = std::move(reason);
  return report;
}

}  // namespace

Workspace::Workspace(fs::path folder, TargetSpec target, BaselineKind baseline,
                     const WorkspaceContext& context)
    : folder_(std::move(folder)),
      target_(std::move(target)),
      baseline_kind_(baseline),
      context_(context),
      measured_(folder_ / "measured.ndjson") {}

std::string Workspace::key(const TargetSpec& target, BaselineKind baseline,
                           const Toolchain& toolchain, TrustLevel trust) {
  // The benchmark is part of it: equal binaries have equal results only under the same benchmark.
  const Json document = {{"format", 6},
                         {"trust", std::string(to_string(trust))},
                         {"target", to_json(target)},
                         {"baseline", std::string(to_string(baseline))},
                         {"compiler", toolchain.info.compiler},
                         {"c_compiler", toolchain.c_compiler},
                         {"cxx_compiler", toolchain.cxx_compiler},
                         {"linker", toolchain.info.linker},
                         {"system", system_state(toolchain)},
                         {"links_again", wants_links(target, toolchain)}};
  return sha256_hex(dump_json(document)).substr(0, 16);
}

std::string Workspace::slot_name(int slot) const {
  char name[16];
  std::snprintf(name, sizeof name, "s%03d", slot);
  return name;
}

fs::path Workspace::candidate_build(int slot) const {
  return folder_ / ("build-" + slot_name(slot));
}
fs::path Workspace::kept_build(int slot, std::size_t number) const {
  char text[32];
  std::snprintf(text, sizeof text, "-%02zu", number);
  return folder_ / ("kept-" + slot_name(slot) + text);
}
fs::path Workspace::compile_log(int slot) const {
  return folder_ / ("state-" + slot_name(slot)) / "compiles.ndjson";
}
fs::path Workspace::bench(int slot) const {
  return folder_ / ("bench-" + slot_name(slot));
}

fs::path Workspace::root(const fs::path& build) const {
  return builds_in_copy(target_) ? build : source();
}

Result<PrepareReport> Workspace::prepare(int slot, StepLog& log, const std::stop_token& stop) {
  const std::unique_lock lock = lock_unless_stopped(mutex_, stop);
  if (!lock) {
    return ended(Outcome::cancelled, "stopped on request");
  }
  return prepare_locked(context_.users.of(slot), log, stop);
}

Result<PrepareReport> Workspace::prepare_locked(const JobUser& user, StepLog& log,
                                                const std::stop_token& stop) {
  HONE_CHECK(make_folder(folder_ / "bin", 0755));
  HONE_CHECK(write_wrappers(folder_ / "bin", context_.toolchain));
  std::error_code error;
  if (!fs::exists(folder_ / "source.json", error)) {
    fs::remove(folder_ / "baseline.json", error);
    const EnvironmentFolders used = folders(kBaselineName, false);
    HONE_CHECK(make_empty_folder(used.home, 0700, user.owner(), context_.stopping));
    HONE_CHECK(make_build_folders(used, user));
    HONE_TRY(FetchReport fetched, fetch_source(target_, context_, user, used, log, stop));
    if (fetched.outcome != Outcome::ok) {
      return ended(fetched.outcome, std::move(fetched.reason));
    }
    HONE_CHECK(write_file_atomically(folder_ / "source.json", "{}\n"));
  }
  Result<Baseline> known =
      read_baseline(folder_ / "baseline.json", baseline_build(), target_.build.binaries, stop);
  if (!known && known.error().code == ErrorCode::cancelled) {
    return ended(Outcome::cancelled, known.error().message);
  }
  if (known) {
    PrepareReport report;
    report.baseline = *std::move(known);
    return report;
  }
  return build_baseline(user, log, stop);
}

Result<void> Workspace::make_build_folders(const EnvironmentFolders& wanted,
                                           const JobUser& user) const {
  const std::optional<Owner> owner = user.owner();
  HONE_CHECK(keep_folder(wanted.home, 0700, owner, context_.stopping));
  HONE_CHECK(keep_folder(wanted.object_cache, 0700, owner, context_.stopping));
  HONE_CHECK(make_empty_folder(wanted.temporary, 0700, owner, context_.stopping));
  const fs::path settings = wanted.object_cache / "ccache.conf";
  HONE_CHECK(remove_tree(settings, context_.stopping));  // a job may have made a folder of it
  return write_file_atomically(settings, object_cache_settings(wanted));
}

Result<void> Workspace::drop_build(const fs::path& build, const EnvironmentFolders& used,
                                   const JobUser& user) const {
  for (const fs::path& folder : {build, used.home, used.object_cache, used.temporary}) {
    HONE_CHECK(make_empty_folder(folder, 0700, user.owner(), context_.stopping));
  }
  return {};
}

EnvironmentFolders Workspace::folders(const std::string& name, bool with_policy) const {
  return {.workspace = folder_,
          .source = source(),
          .root = root(folder_ / ("build-" + name)),
          .home = folder_ / ("home-" + name),
          .temporary = folder_ / ("tmp-" + name),
          .object_cache = folder_ / ("ccache-" + name),
          .shared_objects = folder_ / "objects",
          .state = folder_ / ("state-" + name),
          .policy = with_policy ? folder_ / ("policy-" + name) : fs::path()};
}

BuildRequest Workspace::request(const std::string& name, bool with_policy,
                                const JobUser& user) const {
  const EnvironmentFolders used = folders(name, with_policy);
  const fs::path build = folder_ / ("build-" + name);
  const fs::path wrappers = folder_ / "bin";
  return {.target = target_,
          .baseline = baseline_kind_,
          .toolchain = context_.toolchain,
          .user = user,
          .folders = {source(), build, wrappers},
          .environment = build_environment(used, context_.toolchain),
          .jobs = context_.build_jobs,
          .sandbox = context_.sandbox,
          .view = build_view(used, build, wrappers,
                             target_.build.memory_mib * std::max(1, context_.build_jobs))};
}

Result<PrepareReport> Workspace::build_baseline(const JobUser& user, StepLog& log,
                                                const std::stop_token& stop) {
  const std::optional<Owner> owner = user.owner();
  const EnvironmentFolders used = folders(kBaselineName, false);
  HONE_CHECK(make_build_folders(used, user));
  for (const fs::path& folder : {baseline_build(), used.state, used.shared_objects}) {
    HONE_CHECK(make_empty_folder(folder, 0700, owner, context_.stopping));
  }
  const BuildRequest wanted = request(kBaselineName, false, user);
  const BuildReport built = build_product(wanted, log, stop);
  if (built.end == BuildEnd::stopped) {
    return ended(Outcome::cancelled, built.reason);
  }
  if (built.end == BuildEnd::unavailable) {
    return fail(ErrorCode::unavailable, built.reason);
  }
  if (built.end == BuildEnd::limit_exceeded) {
    HONE_CHECK(drop_build(baseline_build(), used, user));
  }
  if (built.end != BuildEnd::ok) {
    return ended(Outcome::baseline_failed, "the baseline's build failed: " + built.reason);
  }
  if (user.run_as) {
    // Every slot uses both, and none may change what the next one compares with.
    HONE_CHECK(take_tree(baseline_build(), context_.stopping));
    HONE_CHECK(take_tree(used.shared_objects, context_.stopping));
  }
  PrepareReport report;
  report.build_seconds = built.wall_seconds;
  Result<std::vector<BinaryInfo>> binaries =
      describe_binaries(baseline_build(), target_.build.binaries, stop);
  if (!binaries && binaries.error().code == ErrorCode::cancelled) {
    return ended(Outcome::cancelled, binaries.error().message);
  }
  if (!binaries) {
    return ended(Outcome::baseline_failed, binaries.error().message);
  }
  report.baseline.binaries = *std::move(binaries);
  Result<std::vector<CompileLine>> read = read_compile_log(used.state / "compiles.ndjson");
  if (!read && read.error().code == ErrorCode::too_large) {
    return ended(Outcome::baseline_failed,
                 "the baseline's log of its compiles: " + read.error().message);
  }
  HONE_TRY(const std::vector<CompileLine> lines, std::move(read));
  for (const EffectiveDecision& decision :
       effective_decisions(lines, used.root, baseline_build())) {
    report.baseline.sources.insert(decision.source);
    report.baseline.outputs.insert(decision.output);
  }
  HONE_CHECK(make_empty_folder(used.temporary, 0700, owner, context_.stopping));
  report.baseline.state_ids = compute_state_ids(
      {.toolchain = context_.toolchain,
       .user = user,
       .source = source(),
       .build = baseline_build(),
       .scratch = used.temporary,
       .environment = wanted.environment,
       .memory_bytes = static_cast<std::uint64_t>(target_.build.memory_mib) << 20U,
       .sandbox = wanted.sandbox,
       .view = wanted.view},
      stop);
  if (stop.stop_requested()) {
    return ended(Outcome::cancelled, "stopped on request");
  }
  HONE_CHECK(write_baseline(folder_ / "baseline.json", report.baseline));
  log_info("baseline_built",
           {{"target", target_.name},
            {"seconds", report.build_seconds},
            {"objects", static_cast<std::int64_t>(report.baseline.outputs.size())}});
  return report;
}

Result<bool> Workspace::open_slot(int slot) {
  const JobUser& user = context_.users.of(slot);
  const std::optional<Owner> owner = user.owner();
  const std::string name = slot_name(slot);
  const fs::path in_use = folder_ / ("in-use-" + name);
  std::error_code error;
  bool usable = !fs::exists(in_use, error) && is_folder_of(candidate_build(slot), owner);
  HONE_CHECK(write_file_atomically(in_use, ""));
  HONE_CHECK(remove_kept_builds(slot));
  HONE_TRY(usable, ready_build(slot, usable));
  // Ours to write and the slot's user's to enter; nobody else may look at what is printed there.
  HONE_CHECK(make_empty_folder(bench(slot), 0750,
                               owner ? std::optional(Owner{geteuid(), owner->group}) : owner,
                               context_.stopping));
  return usable;
}

Result<bool> Workspace::ready_build(int slot, bool usable) const {
  const JobUser& user = context_.users.of(slot);
  usable = usable && prepare_rebuild(target_, candidate_build(slot));
  if (!usable) {
    HONE_CHECK(make_empty_folder(candidate_build(slot), 0700, user.owner(), context_.stopping));
  }
  HONE_CHECK(make_build_folders(folders(slot_name(slot), true), user));
  return usable;
}

Result<bool> Workspace::next_build(int slot, const fs::path& like, const std::stop_token& stop) {
  bool usable = true;
  if (!like.empty()) {
    HONE_CHECK(make_empty_folder(candidate_build(slot), 0700, context_.users.of(slot).owner(),
                                 context_.stopping));
    // Without CMake each build starts from nothing anyway.
    usable = target_.build.cmake && copy_build(slot, like, stop);
  }
  return ready_build(slot, usable);
}

bool Workspace::copy_build(int slot, const fs::path& like, const std::stop_token& stop) const {
  const std::string name = slot_name(slot);
  const BuildRequest wanted = request(name, true, context_.users.of(slot));
  // By the job's user; with its times, by which ninja knows what is up to date.
  Command copy;
  copy.arguments = {"cp",
                    "-R",
                    "--no-dereference",
                    "--preserve=mode,timestamps,links",
                    "--reflink=auto",
                    "--",
                    (like / ".").string(),
                    candidate_build(slot).string()};
  copy.environment = wanted.environment;
  copy.working_folder = candidate_build(slot);
  copy.run_as = wanted.user.run_as;
  copy.limits = build_limits(target_, std::chrono::steady_clock::now() +
                                          std::chrono::seconds(target_.build.timeout_seconds));
  SandboxView view = wanted.view;
  view.readable.push_back(like);
  StepLog log(folder_ / ("copy-" + name + ".log"), context_.disk);
  const Result<SandboxReport> copied = log.run(std::move(copy), context_.sandbox, view, stop);
  const bool ok = copied && copied->run.ok() && copied->limit_met.empty();
  if (!ok && !stop.stop_requested()) {
    log_warning("build_not_copied", {{"target", target_.name}, {"why", log.last_words(500)}});
  }
  return ok;
}

Result<void> Workspace::remove_kept_builds(int slot) const {
  const std::string prefix = "kept-" + slot_name(slot) + "-";
  std::vector<fs::path> kept;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      kept.push_back(entry.path());
    }
  }
  for (const fs::path& build : kept) {
    HONE_CHECK(remove_tree(build, context_.stopping));
  }
  return {};
}

void Workspace::close_slot(int slot) {
  const std::string name = slot_name(slot);
  Result<void> removed = remove_kept_builds(slot);
  if (!removed) {
    log_warning("slot_not_cleaned", {{"why", removed.error().message}});
  }
  for (const fs::path& folder : {bench(slot), folder_ / ("tmp-" + name)}) {
    if (Result<void> one = remove_tree(folder, context_.stopping); !one) {
      log_warning("slot_not_cleaned", {{"why", one.error().message}});
      removed = std::move(one);
    }
  }
  if (!removed && removed.error().code == ErrorCode::cancelled) {
    return;
  }
  std::error_code ignored;  // at worst the next candidate is built from nothing
  fs::remove(folder_ / ("in-use-" + name), ignored);
}

Result<BuildReport> Workspace::build_candidate(int slot, std::string_view policy_index,
                                               bool from_nothing, StepLog& log,
                                               const std::stop_token& stop) {
  const std::string name = slot_name(slot);
  const JobUser& user = context_.users.of(slot);
  const EnvironmentFolders used = folders(name, true);
  if (from_nothing) {
    HONE_CHECK(make_empty_folder(candidate_build(slot), 0700, user.owner(), context_.stopping));
  }
  HONE_CHECK(make_empty_folder(used.state, 0700, user.owner(), context_.stopping));
  HONE_CHECK(write_file_atomically(used.policy, policy_index));
  BuildReport report = build_product(request(name, true, user), log, stop);
  if (report.end == BuildEnd::limit_exceeded) {
    HONE_CHECK(drop_build(candidate_build(slot), used, user));
  }
  return report;
}

}  // namespace hone
