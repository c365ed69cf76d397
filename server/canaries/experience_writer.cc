#include "server/canaries/experience_writer.h"

#include "server/canaries/canary_reward.h"

namespace hone {

Async<void> write_experience(Store& store, const CanaryView& canary, std::span<const double> bounds,
                             std::span<const SliWindow> series) {
  Result<StagedPolicy> policy =
      co_await staged_policy(store, canary.spec.target, canary.spec.policy_version);
  HONE_CO_TRY(const StagedPolicy tried, std::move(policy));
  std::optional<StagedPolicy> known_good;
  if (canary.known_good) {
    Result<StagedPolicy> before =
        co_await staged_policy(store, canary.spec.target, *canary.known_good);
    HONE_CO_TRY(known_good, std::move(before));
  }
  Json line = experience_line(canary, tried, known_good, bounds, series, canary.ended_at);
  const Result<bool> added = co_await store.canaries().add_experience(canary.id, std::move(line));
  HONE_CO_CHECK(added);
  co_return Result<void>();
}

bool may_pass(ErrorCode code) {
  switch (code) {
    case ErrorCode::timed_out:
    case ErrorCode::unavailable:
    case ErrorCode::resource_exhausted:
    case ErrorCode::cancelled:
    case ErrorCode::io_failed:
    case ErrorCode::disk_full:
      return true;
    case ErrorCode::invalid_argument:
    case ErrorCode::unauthenticated:
    case ErrorCode::permission_denied:
    case ErrorCode::not_found:
    case ErrorCode::conflict:
    case ErrorCode::expired:
    case ErrorCode::too_large:
    case ErrorCode::unsupported:
    case ErrorCode::internal:
      break;
  }
  return false;
}

}  // namespace hone
