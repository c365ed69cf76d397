#include "worker/build/source_fetch.h"

#include <chrono>

#include "common/archive/unpack.h"
#include "worker/artifacts/folders.h"
#include "worker/artifacts/git_checkout.h"
#include "worker/build/build_view.h"
#include "worker/build/product_build.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReasonTail = 2000;

// Whether an error is the target's (its source is not what it should be) or this machine's.
bool is_targets_fault(ErrorCode code) {
  return code == ErrorCode::invalid_argument || code == ErrorCode::too_large ||
         code == ErrorCode::not_found;
}

class Fetch {
 public:
  Fetch(const TargetSpec& target, const WorkspaceContext& context, const JobUser& user,
        const EnvironmentFolders& folders, const std::stop_token& stop)
      : target_(target), context_(context), user_(user), folders_(folders), stop_(stop) {}

  Result<FetchReport> get_tree() const {
    const Result<void> got = target_.source.git ? checkout() : unpack();
    if (got) {
      return FetchReport{};
    }
    const Error& error = got.error();
    if (error.code == ErrorCode::cancelled) {
      return FetchReport{Outcome::cancelled, "stopped on request"};
    }
    // A repository that does not answer is the target's trouble too: no other worker fares better.
    if ((target_.source.git && error.code != ErrorCode::io_failed) ||
        is_targets_fault(error.code)) {
      return FetchReport{Outcome::fetch_failed, error.message};
    }
    return error;
  }

  Result<FetchReport> run_steps(StepLog& log) const {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(target_.build.timeout_seconds);
    const SandboxView view = fetch_view(folders_, target_.build.memory_mib);
    for (const Arguments& step : target_.fetch) {
      Command command;
      HONE_TRY(command.arguments, expand(step, {{"{source}", folders_.source.string()}}));
      command.environment = build_environment(folders_, context_.toolchain);
      command.working_folder = folders_.source;
      command.run_as = user_.run_as;
      command.limits = build_limits(target_, end);
      const std::string name = "fetch step '" + command.arguments.front() + "': ";
      const Result<SandboxReport> ran = log.run(std::move(command), context_.sandbox, view, stop_);
      if (!ran && ran.error().code == ErrorCode::unavailable) {
        return ran.error();
      }
      if (!ran) {
        return FetchReport{Outcome::fetch_failed, name + ran.error().message};
      }
      if (ran->run.end == RunEnd::stopped) {
        return FetchReport{Outcome::cancelled, "stopped on request"};
      }
      if (!ran->run.ok()) {
        const std::string limit = ran->limit_met.empty() ? "" : ran->limit_met + ", ";
        return FetchReport{Outcome::fetch_failed, name + limit + ran->run.describe_end() +
                                                      ", saying:\n" + log.last_words(kReasonTail)};
      }
    }
    return FetchReport{};
  }

 private:
  Result<void> checkout() const {
    return git_checkout(
        *target_.source.git, folders_.source,
        {.home = folders_.home, .user = user_, .sandbox = context_.sandbox, .disk = context_.disk},
        stop_);
  }
  Result<void> unpack() const {
    return context_.artifacts.with(
        target_.source.artifact, stop_, [&](const fs::path& archive) -> Result<void> {
          HONE_CHECK(unpack_archive(archive, folders_.source, {}, user_.owner(), stop_));
          return {};
        });
  }

  const TargetSpec& target_;
  const WorkspaceContext& context_;
  const JobUser& user_;
  const EnvironmentFolders& folders_;
  const std::stop_token& stop_;
};

}  // namespace

Result<FetchReport> fetch_source(const TargetSpec& target, const WorkspaceContext& context,
                                 const JobUser& user, const EnvironmentFolders& folders,
                                 StepLog& log, const std::stop_token& stop) {
  HONE_CHECK(make_empty_folder(folders.source, 0700, user.owner(), context.stopping));
  const Fetch fetch(target, context, user, folders, stop);
  HONE_TRY(FetchReport report, fetch.get_tree());
  if (report.outcome == Outcome::ok) {
    HONE_TRY(report, fetch.run_steps(log));
  }
  if (report.outcome == Outcome::ok && user.run_as) {
    HONE_CHECK(take_tree(folders.source, context.stopping));
  }
  return report;
}

}  // namespace hone
