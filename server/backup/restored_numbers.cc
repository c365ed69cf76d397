#include "server/backup/restored_numbers.h"

#include <algorithm>
#include <limits>
#include <string>

#include "common/base/subprocess.h"
#include "server/store/cluster/cluster_folder.h"

namespace hone {
namespace {

using std::chrono::system_clock;

constexpr system_clock::time_point kBegin =
    std::chrono::sys_days{std::chrono::year{2026} / std::chrono::January / 1};
// Where the clock is wrong.
constexpr std::int64_t kSmallestGap = 1'000'000;
// pg_resetwal takes the highest for none.
constexpr std::int64_t kHighestEpoch = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::chrono::minutes kResetTimeout{5};

}  // namespace

Result<std::uint32_t> restored_epoch(std::uint32_t epoch, system_clock::time_point now) {
  const std::int64_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now - kBegin).count();
  const std::int64_t next = std::max(std::int64_t{epoch} + 1, seconds);
  if (next > kHighestEpoch) {
    return fail(ErrorCode::unsupported,
                "transactions of the backup are in epoch " + std::to_string(epoch) +
                    ", the clock says " + std::to_string(seconds) +
                    " s since 2026, and there is no epoch behind " + std::to_string(kHighestEpoch) +
                    ": is the clock right?");
  }
  return static_cast<std::uint32_t>(next);
}

std::int64_t restored_policy_gap(system_clock::time_point now) {
  const std::int64_t milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - kBegin).count();
  return std::max(milliseconds, kSmallestGap);
}

Result<void> set_epoch(const ClusterOptions& options, std::uint32_t epoch) {
  HONE_TRY(const ClusterUser user, cluster_user(options));
  HONE_TRY(const ClusterPaths paths, cluster_paths(options));
  Command command;
  command.arguments = {(options.binaries / "pg_resetwal").string(),
                       "--epoch=" + std::to_string(epoch), paths.data.string()};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"};
  command.limits.wall_time = kResetTimeout;
  command.working_folder = "/";  // ours may be none that the user can enter
  if (user.differs) {
    command.run_as = RunAs{user.user, user.group};
  }
  HONE_TRY(const RunReport report, run(command));
  if (!report.ok()) {
    return postgres_error("pg_resetwal failed (" + report.describe_end() + ")", report.stderr_text,
                          paths.folder);
  }
  return {};
}

}  // namespace hone
