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

}  // namespace hone
