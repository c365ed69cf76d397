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
        co_await collect_artifacts(store.artifacts(), *artifacts.store, options);
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

asio::awaitable<void> end_uploads(Store& store, Artifacts& artifacts) {
  const Result<std::vector<std::string>> outdated = co_await store.uploads().remove_outdated();
  if (!outdated) {
    log_warning("remove_uploads_failed", {{"reason", outdated.error().message}});
  } else {
    for (const std::string& id : *outdated) {
      const Result<void> dropped = co_await artifacts.spool->drop(id);
      if (!dropped) {
        log_warning("upload_not_removed", {{"id", id}, {"reason", dropped.error().message}});
      }
    }
  }
  const Result<std::int64_t> removed = co_await artifacts.spool->remove_old();
  if (removed && *removed > 0) {
    log_info("uploads_removed", {{"files", *removed}});
  }
}

}  // namespace

asio::awaitable<void> sweep_artifacts(Store& store, Artifacts& artifacts, Background& background,
                                      ArtifactSweeperOptions options) {
  co_await background.sleep(options.first);
  while (!background.stopping()) {
    co_await end_uploads(store, artifacts);
    if (options.unused_days > 0) {
      co_await collect_all(store, artifacts, background, options.unused_days);
    }
    co_await background.sleep(options.interval);
  }
}

}  // namespace hone
