// One version of a target on this worker: its source and its baseline's build, made once and kept,
// and a build folder for each slot's candidates.
//
//   source/        the tree after the fetch steps; ours from then on where we are root, so that no
//                  build can change what the next one compiles
//   build-base/    the baseline's build, ours likewise
//   build-s000/    slot 0's candidate builds, of that slot's user
//   kept-s000-00/  one of them that waits for its measurement while others are built
//   (kept_builds.h) state-, tmp-, home-, ccache-base/ and -s000/   of both: the launcher's log,
//   TMPDIR, HOME and
//                  object cache
//   objects/       what the baseline compiled, in the object cache's format, for all slots to read
//   bin/           compiler wrappers
//   build-c000/    slot 0's builds that are timed, where the metric is compile_time; prepared-c000/
//                  what they start from
//   build-sanb/, build-a000/   with sanitizers: the baseline, slot 0's candidates; sanitized.json
//   source.json, baseline.json                 written last: without it the part is made anew
//   measured.ndjson                            measured_binaries.h
// All build folders have names of one length and lie side by side, so that neither the depth nor
// the length of a path makes a difference between baseline and candidate. Thread safe: prepare()
// lets one caller in at a time, the others wait for what it makes.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/access.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/target_spec.h"
#include "worker/artifacts/job_user.h"
#include "worker/build/baseline.h"
#include "worker/build/build_environment.h"
#include "worker/build/measured_binaries.h"
#include "worker/build/product_build.h"
#include "worker/build/step_log.h"
#include "worker/build/workspace_context.h"

namespace hone {

struct PrepareReport {
  Outcome outcome = Outcome::ok;  // or fetch_failed, baseline_failed, cancelled
  std::string reason;
  Baseline baseline;
  double build_seconds = 0;  // 0 if the baseline was there already
};

class Workspace {
 public:
  // `folder` exists.
  Workspace(std::filesystem::path folder, TargetSpec target, BaselineKind baseline,
            const WorkspaceContext& context);

  // The name of a version: a hash of all that the baseline's build depends on, and of whom its jobs
  // are from.
  static std::string key(const TargetSpec& target, BaselineKind baseline,
                         const Toolchain& toolchain, TrustLevel trust);

  // Source and baseline, made now by this slot's user unless they are there. An error is this
  // machine's trouble (no disk, honed does not answer), not the target's.
  Result<PrepareReport> prepare(int slot, StepLog& log, const std::stop_token& stop);

  // Removes what an interrupted job of this slot left, or one that belonged to another user, and
  // makes its folders. True if a build folder of an earlier candidate is there to be used again.
  Result<bool> open_slot(int slot);
  // The same for the next candidate of the same slot and job, with a copy of `like` if that is not
  // empty: the build folder does not exist then.
  Result<bool> next_build(int slot, const std::filesystem::path& like, const std::stop_token& stop);
  // Call when the slot's job has ended in order; without it, or where the worker's stop cuts it
  // short, open_slot() starts from nothing.
  void close_slot(int slot);

  // Builds a candidate in the slot's folder with the policy index (bytes).
  Result<BuildReport> build_candidate(int slot, std::string_view policy_index, bool from_nothing,
                                      StepLog& log, const std::stop_token& stop);

  const TargetSpec& target() const { return target_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path source() const { return folder_ / "source"; }
  std::filesystem::path baseline_build() const { return folder_ / "build-base"; }
  std::filesystem::path candidate_build(int slot) const;
  std::filesystem::path kept_build(int slot, std::size_t number) const;
  std::filesystem::path compile_log(int slot) const;
  // What the compile log's names are relative to.
  std::filesystem::path candidate_root(int slot) const { return root(candidate_build(slot)); }
  // Ours alone: the benchmark runner's folder.
  std::filesystem::path bench(int slot) const;
  MeasuredBinaries& measured() { return measured_; }
  // The worker's stop, for clean-up: of no job.
  const std::stop_token& stopping() const { return context_.stopping; }

  // What extra builds (extra_build.h) are made of. They have names of four letters, too.
  BaselineKind baseline_kind() const { return baseline_kind_; }
  EnvironmentFolders folders(const std::string& name, bool with_policy) const;
  // Held by whoever makes an extra build that all slots share.
  std::timed_mutex& extra_mutex() { return extra_mutex_; }

 private:
  std::string slot_name(int slot) const;
  Result<void> remove_kept_builds(int slot) const;
  Result<bool> ready_build(int slot, bool usable) const;
  bool copy_build(int slot, const std::filesystem::path& like, const std::stop_token& stop) const;
  std::filesystem::path root(const std::filesystem::path& build) const;
  Result<PrepareReport> prepare_locked(const JobUser& user, StepLog& log,
                                       const std::stop_token& stop);
  Result<PrepareReport> build_baseline(const JobUser& user, StepLog& log,
                                       const std::stop_token& stop);
  BuildRequest request(const std::string& name, bool with_policy, const JobUser& user) const;
  // HOME, TMPDIR (empty) and object cache of this user.
  Result<void> make_build_folders(const EnvironmentFolders& wanted, const JobUser& user) const;
  // Empties all that a build wrote which went past a limit: what it filled the disk with must not
  // be the next one's burden.
  Result<void> drop_build(const std::filesystem::path& build, const EnvironmentFolders& used,
                          const JobUser& user) const;

  std::filesystem::path folder_;
  TargetSpec target_;
  BaselineKind baseline_kind_;
  WorkspaceContext context_;
  MeasuredBinaries measured_;
  std::timed_mutex mutex_;
  std::timed_mutex extra_mutex_;
};

}  // namespace hone
