#include "server/jobs/upload_sweeper.h"

#include <string>
#include <vector>

#include "common/base/log.h"

namespace hone {
namespace {

namespace asio = boost::asio;

// Uploads whose bytes are here and whose rows are gone: ended by another coordinator with a folder
// of its own or beside one that was receiving, or by one that was killed before it removed them.
// The files are listed first: each had its row before, so one that has none now will get none.
Async<std::vector<std::string>> find_ended(Store& store, UploadSpool& spool) {
  Result<std::vector<std::string>> here = co_await spool.partial_ids();
  HONE_CO_CHECK(here);
  if (here->empty()) {
    co_return std::vector<std::string>();
  }
  Result<std::vector<std::string>> ended =
      co_await store.uploads().without_upload(*std::move(here));
  co_return ended;
}

}  // namespace

asio::awaitable<std::int64_t> end_uploads(Store& store, UploadSpool& spool) {
  const Result<std::vector<std::string>> outdated = co_await store.uploads().remove_outdated();
  if (!outdated) {
    log_warning("remove_uploads_failed", {{"reason", outdated.error().message}});
  } else if (!outdated->empty()) {
    log_info("uploads_outdated", {{"uploads", outdated->size()}});
  }
  std::int64_t files = 0;
  const Result<std::vector<std::string>> ended = co_await find_ended(store, spool);
  if (!ended) {
    log_warning("find_uploads_failed", {{"reason", ended.error().message}});
  } else {
    for (const std::string& id : *ended) {
      const Result<bool> dropped = co_await spool.drop(id);
      if (!dropped) {
        log_warning("upload_not_removed", {{"id", id}, {"reason", dropped.error().message}});
      }
      files += dropped.has_value() && *dropped ? 1 : 0;
    }
  }
  const Result<std::int64_t> old = co_await spool.remove_old();
  if (!old) {
    log_warning("remove_uploads_failed", {{"reason", old.error().message}});
  }
  files += old.has_value() ? *old : 0;
  if (files > 0) {
    log_info("uploads_removed", {{"files", files}});
  }
  co_return files;
}

asio::awaitable<void> sweep_uploads(Store& store, UploadSpool& spool, Background& background,
                                    UploadSweeperOptions options) {
  co_await background.sleep(options.first);
  while (!background.stopping()) {
    co_await end_uploads(store, spool);
    co_await background.sleep(options.interval);
  }
}

}  // namespace hone
