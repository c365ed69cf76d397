#include "worker/build/workspace.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "common/archive/unpack.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/sha256.h"
#include "common/json/object_reader.h"
#include "worker/artifacts/folders.h"
#include "worker/artifacts/git_checkout.h"
#include "worker/build/binaries.h"
#include "worker/build/build_view.h"
#include "worker/build/compile_log.h"
#include "worker/build/state_ids.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBaselineName = "base";
constexpr std::size_t kMaxMarker = std::size_t{256} << 20U;

PrepareReport ended(Outcome outcome, std::string reason) {
  PrepareReport report;
  report.outcome = outcome;
  report.reason = std::move(reason);
  return report;
}

// Whether an error is the target's (its source is not what it should be) or this machine's.
bool is_targets_fault(ErrorCode code) {
  return code == ErrorCode::invalid_argument || code == ErrorCode::too_large ||
         code == ErrorCode::not_found;
}

}  // namespace

Workspace::Workspace(fs::path folder, fs::path object_cache, TargetSpec target,
                     BaselineKind baseline, const WorkspaceContext& context)
    : folder_(std::move(folder)),
      object_cache_(std::move(object_cache)),
      target_(std::move(target)),
      baseline_kind_(baseline),
      context_(context),
      measured_(folder_ / "measured.ndjson") {}

std::string Workspace::key(const TargetSpec& target, BaselineKind baseline,
                           const Toolchain& toolchain) {
  // The benchmark is part of it: equal binaries have equal results only under the same benchmark.
  const Json document = {{"format", 1},
                         {"target", to_json(target)},
                         {"baseline", std::string(to_string(baseline))},
                         {"compiler", toolchain.info.compiler},
                         {"c_compiler", toolchain.c_compiler},
                         {"cxx_compiler", toolchain.cxx_compiler},
                         {"linker", toolchain.info.linker}};
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
fs::path Workspace::compile_log(int slot) const {
  return folder_ / ("state-" + slot_name(slot)) / "compiles.ndjson";
}
fs::path Workspace::bench(int slot) const {
  return folder_ / ("bench-" + slot_name(slot));
}

Result<PrepareReport> Workspace::prepare(StepLog& log, const std::stop_token& stop) {
  std::unique_lock lock(mutex_, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(100))) {
    if (stop.stop_requested()) {
      return ended(Outcome::cancelled, "stopped on request");
    }
  }
  return prepare_locked(log, stop);
}

Result<void> Workspace::make_common_folders() {
  const std::optional<Owner> owner = context_.user.owner();
  HONE_CHECK(make_folder(folder_ / "bin", 0755));
  HONE_CHECK(make_folder(folder_ / "home", 0755, owner));
  return write_wrappers(folder_ / "bin", context_.toolchain);
}

Result<PrepareReport> Workspace::prepare_locked(StepLog& log, const std::stop_token& stop) {
  HONE_CHECK(make_common_folders());
  std::error_code error;
  if (!fs::exists(folder_ / "source.json", error)) {
    fs::remove(folder_ / "baseline.json", error);
    HONE_TRY(PrepareReport fetched, fetch(log, stop));
    if (fetched.outcome != Outcome::ok) {
      return fetched;
    }
    HONE_CHECK(write_file_atomically(folder_ / "source.json", "{}\n"));
  }
  if (Result<Baseline> known = read_baseline()) {
    PrepareReport report;
    report.baseline = *std::move(known);
    return report;
  }
  return build_baseline(log, stop);
}

Result<PrepareReport> Workspace::fetch(StepLog& log, const std::stop_token& stop) {
  HONE_CHECK(make_empty_folder(source(), 0755, context_.user.owner()));
  const auto get = [&]() -> Result<void> {
    if (target_.source.git) {
      return git_checkout(*target_.source.git, source(),
                          {.home = folder_ / "home", .user = context_.user}, stop);
    }
    return context_.artifacts.with(
        target_.source.artifact, stop, [&](const fs::path& archive) -> Result<void> {
          HONE_CHECK(unpack_archive(archive, source(), {}, context_.user.owner(), stop));
          return {};
        });
  };
  if (const Result<void> got = get(); !got) {
    const Error& error = got.error();
    if (error.code == ErrorCode::cancelled) {
      return ended(Outcome::cancelled, "stopped on request");
    }
    // A repository that does not answer is the target's trouble too: no other worker fares better.
    if (target_.source.git || is_targets_fault(error.code)) {
      return ended(Outcome::fetch_failed, error.message);
    }
    return error;
  }
  HONE_CHECK(make_empty_folder(folder_ / "tmp-base", 0700, context_.user.owner()));
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(target_.build.timeout_seconds);
  const EnvironmentFolders used = folders(kBaselineName, false);
  const SandboxView view = fetch_view(used, target_.build.memory_mib);
  for (const Arguments& step : target_.fetch) {
    HONE_TRY(const Arguments arguments, expand(step, {{"{source}", source().string()}}));
    Command command;
    command.arguments = arguments;
    command.environment = build_environment(used, context_.toolchain);
    command.working_folder = source();
    command.run_as = context_.user.run_as;
    command.limits.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(end - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration(1)));
    const Result<SandboxReport> ran = log.run(std::move(command), context_.sandbox, view, stop);
    if (!ran) {
      return ended(Outcome::fetch_failed, "fetch step: " + ran.error().message);
    }
    const RunReport* const report = &ran->run;
    if (report->end == RunEnd::stopped) {
      return ended(Outcome::cancelled, "stopped on request");
    }
    if (!report->ok()) {
      return ended(Outcome::fetch_failed, "fetch step '" + arguments.front() +
                                              "': " + report->describe_end() + ", saying:\n" +
                                              log.last_words(2000));
    }
  }
  if (context_.user.run_as) {
    HONE_CHECK(take_tree(source()));
  }
  return PrepareReport{};
}

EnvironmentFolders Workspace::folders(const std::string& name, bool with_policy) const {
  return {.workspace = folder_,
          .source = source(),
          .home = folder_ / "home",
          .temporary = folder_ / ("tmp-" + name),
          .object_cache = object_cache_,
          .state = folder_ / ("state-" + name),
          .policy = with_policy ? folder_ / ("policy-" + name) : fs::path()};
}

BuildRequest Workspace::request(const std::string& name, bool with_policy) const {
  const EnvironmentFolders used = folders(name, with_policy);
  const fs::path build = folder_ / ("build-" + name);
  const fs::path wrappers = folder_ / "bin";
  return {.target = target_,
          .baseline = baseline_kind_,
          .toolchain = context_.toolchain,
          .user = context_.user,
          .folders = {source(), build, wrappers},
          .environment = build_environment(used, context_.toolchain),
          .jobs = context_.build_jobs,
          .sandbox = context_.sandbox,
          .view = build_view(used, build, wrappers,
                             target_.build.memory_mib * std::max(1, context_.build_jobs))};
}

Result<PrepareReport> Workspace::build_baseline(StepLog& log, const std::stop_token& stop) {
  const std::optional<Owner> owner = context_.user.owner();
  HONE_CHECK(make_empty_folder(baseline_build(), 0755, owner));
  HONE_CHECK(make_empty_folder(folder_ / "state-base", 0755, owner));
  HONE_CHECK(make_empty_folder(folder_ / "tmp-base", 0700, owner));
  const BuildRequest wanted = request(kBaselineName, false);
  const BuildReport built = build_product(wanted, log, stop);
  if (built.end == BuildEnd::stopped) {
    return ended(Outcome::cancelled, built.reason);
  }
  if (built.end != BuildEnd::ok) {
    return ended(Outcome::baseline_failed, "the baseline's build failed: " + built.reason);
  }
  PrepareReport report;
  report.build_seconds = built.wall_seconds;
  Result<std::vector<BinaryInfo>> binaries =
      describe_binaries(baseline_build(), target_.build.binaries);
  if (!binaries) {
    return ended(Outcome::baseline_failed, binaries.error().message);
  }
  report.baseline.binaries = *std::move(binaries);
  HONE_TRY(const std::vector<CompileLine> lines,
           read_compile_log(folder_ / "state-base/compiles.ndjson"));
  for (const EffectiveDecision& decision : effective_decisions(lines, source(), baseline_build())) {
    report.baseline.sources.insert(decision.source);
    report.baseline.outputs.insert(decision.output);
  }
  HONE_CHECK(make_empty_folder(folder_ / "tmp-base", 0700, owner));
  report.baseline.state_ids = compute_state_ids(
      {.toolchain = context_.toolchain,
       .user = context_.user,
       .source = source(),
       .build = baseline_build(),
       .scratch = folder_ / "tmp-base",
       .environment = wanted.environment,
       .memory_bytes = static_cast<std::uint64_t>(target_.build.memory_mib) << 20U,
       .sandbox = wanted.sandbox,
       .view = wanted.view},
      stop);
  if (stop.stop_requested()) {
    return ended(Outcome::cancelled, "stopped on request");
  }
  HONE_CHECK(write_baseline(report.baseline));
  log_info("baseline_built",
           {{"target", target_.name},
            {"seconds", report.build_seconds},
            {"objects", static_cast<std::int64_t>(report.baseline.outputs.size())}});
  return report;
}

Result<void> Workspace::write_baseline(const Baseline& baseline) const {
  Json binaries = Json::array();
  for (const BinaryInfo& binary : baseline.binaries) {
    binaries.push_back({{"path", binary.path}, {"sha256", binary.sha256}});
  }
  const Json document = {{"binaries", binaries},
                         {"sources", baseline.sources},
                         {"outputs", baseline.outputs},
                         {"state_ids", baseline.state_ids}};
  return write_file_atomically(folder_ / "baseline.json", dump_json(document));
}

// An error stands for every reason to build it: not there, cut short, or files changed since.
Result<Baseline> Workspace::read_baseline() const {
  HONE_TRY(const std::string text, read_file(folder_ / "baseline.json", kMaxMarker));
  HONE_TRY(const Json document, parse_json(text, {.bytes = kMaxMarker}));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  constexpr TextLimits kName{.min_size = 0, .max_size = 8192};
  std::map<std::string, std::string> hashes;
  reader.each("binaries", kMaxDecisions, [&](ObjectReader& item) {
    const std::string path = item.text("path");
    hashes[path] = item.text("sha256");
  });
  Baseline baseline;
  for (std::string& name : reader.text_list("sources", kMaxDecisions, kName)) {
    baseline.sources.insert(std::move(name));
  }
  for (std::string& name : reader.text_list("outputs", kMaxDecisions, kName)) {
    baseline.outputs.insert(std::move(name));
  }
  if (const Json* ids = reader.find("state_ids"); ids != nullptr && ids->is_object()) {
    for (const auto& [output, id] : ids->items()) {
      if (id.is_string()) {
        baseline.state_ids[output] = id.get<std::string>();
      }
    }
  }
  if (const std::optional<Error> error = problems.as_error("baseline.json")) {
    return *error;
  }
  HONE_TRY(baseline.binaries, describe_binaries(baseline_build(), target_.build.binaries));
  for (const BinaryInfo& binary : baseline.binaries) {
    if (hashes[binary.path] != binary.sha256) {
      return fail(ErrorCode::conflict, "the baseline's " + binary.path + " has changed");
    }
  }
  return baseline;
}

Result<bool> Workspace::open_slot(int slot) {
  const std::optional<Owner> owner = context_.user.owner();
  const std::string name = slot_name(slot);
  const fs::path in_use = folder_ / ("in-use-" + name);
  std::error_code error;
  bool usable = !fs::exists(in_use, error) && fs::exists(candidate_build(slot), error);
  HONE_CHECK(write_file_atomically(in_use, ""));
  if (usable) {
    usable = prepare_rebuild(target_, candidate_build(slot));
  }
  if (!usable) {
    HONE_CHECK(make_empty_folder(candidate_build(slot), 0755, owner));
  }
  HONE_CHECK(make_empty_folder(folder_ / ("tmp-" + name), 0700, owner));
  HONE_CHECK(make_empty_folder(bench(slot), 0755));
  return usable;
}

void Workspace::close_slot(int slot) {
  std::error_code ignored;  // at worst the next candidate is built from nothing
  fs::remove_all(bench(slot), ignored);
  fs::remove(folder_ / ("in-use-" + slot_name(slot)), ignored);
}

Result<BuildReport> Workspace::build_candidate(int slot, std::string_view policy_index,
                                               bool from_nothing, StepLog& log,
                                               const std::stop_token& stop) {
  const std::string name = slot_name(slot);
  if (from_nothing) {
    HONE_CHECK(make_empty_folder(candidate_build(slot), 0755, context_.user.owner()));
  }
  HONE_CHECK(make_empty_folder(folder_ / ("state-" + name), 0755, context_.user.owner()));
  HONE_CHECK(write_file_atomically(folder_ / ("policy-" + name), policy_index));
  return build_product(request(name, true), log, stop);
}

}  // namespace hone
