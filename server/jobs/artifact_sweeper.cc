#include "server/jobs/artifact_sweeper.h"

#include "common/base/log.h"
#include "server/store/artifacts/artifact_gc.h"

namespace hone {
namespace {

namespace asio = boost::asio;

constexpr std::int64_t kSecondsPerDay = 86'400;

asio::awaitable<void> collect_all(Store& store, Artifacts& artifacts, Background& background,
                                  std::int64_t unused_days) {
  ArtifactCount removed;
  bool more = true;
  while (more && !background.stopping()) {
    CollectOptions options;
    options.unused_seconds = unused_days * kSecondsPerDay;
    options.most = 100;  // so that a stop need not wait for a thousand
    const Result<Collected> collected =
        co_await collect_artifacts(store.collected_artifacts(), *artifacts.store, options);
    if (!collected) {
      log_warning("artifact_collection_failed", {{"reason", collected.error().message}});
      break;
    }
    removed.artifacts += collected->removed.artifacts;
    removed.bytes += collected->removed.bytes;
    more = collected->more;
  }
  if (removed.artifacts > 0) {
    log_info("artifacts_collected", {{"artifacts", removed.artifacts}, {"bytes", removed.bytes}});
  }
}

}  // namespace

asio::awaitable<void> sweep_artifacts(Store& store, Artifacts& artifacts, Background& background,
                                      ArtifactSweeperOptions options) {
  co_await background.sleep(options.first);
  while (!background.stopping()) {
    if (options.unused_days > 0) {
      co_await collect_all(store, artifacts, background, options.unused_days);
    }
    co_await background.sleep(options.interval);
  }
}

}  // namespace hone
