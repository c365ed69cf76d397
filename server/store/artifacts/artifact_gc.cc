#include "server/store/artifacts/artifact_gc.h"

#include <algorithm>
#include <vector>

#include "common/base/log.h"

namespace hone {
namespace {

// A place that is out of order is not asked a thousand times.
constexpr std::int64_t kMostFailures = 10;

}  // namespace

Async<Collected> collect_artifacts(ArtifactIndex& index, ArtifactStore& store,
                                   CollectOptions options) {
  const std::int64_t unused = std::max(options.unused_seconds, kLeastUnusedSeconds);
  Collected collected;
  std::vector<std::string> passed_over;
  for (std::int64_t i = 0; i < options.most; ++i) {
    const Result<std::optional<ArtifactView>> marked =
        co_await index.mark_unneeded(unused, passed_over);
    HONE_CO_CHECK(marked);
    if (!*marked) {
      co_return collected;
    }
    const std::string sha256 = (*marked)->sha256;
    Result<void> file_removed;
    RemoveFile remove_file = [&](std::chrono::steady_clock::time_point until) -> Async<void> {
      file_removed = co_await store.remove(sha256, until);
      co_return file_removed;
    };
    const Result<bool> removed = co_await index.remove_marked(sha256, std::move(remove_file));
    if (removed && *removed) {
      ++collected.removed.artifacts;
      collected.removed.bytes += (*marked)->size_bytes;
      log_info("artifact_collected", {{"sha256", sha256}, {"bytes", (*marked)->size_bytes}});
    } else if (!removed && file_removed) {
      co_return removed.error();
    } else if (!removed) {
      log_warning("artifact_not_removed",
                  {{"sha256", sha256}, {"reason", removed.error().message}});
      passed_over.push_back(sha256);
      if (++collected.failed >= kMostFailures) {
        co_return collected;
      }
    }
  }
  collected.more = true;
  co_return collected;
}

}  // namespace hone
