#include "server/store/artifacts/upload_spool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "common/base/log.h"
#include "common/base/token.h"
#include "server/store/artifacts/disk_space.h"
#include "server/store/artifacts/upload_state.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kDiskThreads = 4;
// Of partial uploads that nobody sends to: half a kilobyte each.
constexpr std::chrono::minutes kKeepIdle{10};
constexpr std::size_t kMostIdle = 256;

std::int64_t age_seconds(const struct stat& status) {
  return static_cast<std::int64_t>(std::time(nullptr) - status.st_mtime);
}

// How many files were removed: of this owner all if `own` is set, of others the old ones. Partial
// uploads last as long as their rows, of which nothing is known here.
std::int64_t clean(const SpoolOptions& options, bool own) {
  std::int64_t removed = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.folder, error)) {
    const std::string name = entry.path().filename().string();
    struct stat status{};
    if (::lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      continue;
    }
    if (partial_id(name)) {
      continue;
    }
    const bool ours = name.starts_with(options.owner + ".");
    if ((ours && own) || (!ours && age_seconds(status) > options.foreign_age.count())) {
      if (::unlink(entry.path().c_str()) == 0) {
        ++removed;
      }
    }
  }
  if (error) {
    log_warning("uploads_unreadable",
                {{"folder", options.folder.string()}, {"reason", error.message()}});
  }
  return removed;
}

}  // namespace

UploadSpool::UploadSpool(SpoolOptions options)
    : options_(std::make_shared<const SpoolOptions>(std::move(options))),
      pool_(std::make_unique<BlockingPool>(kDiskThreads)) {}

UploadSpool::~UploadSpool() = default;

Result<std::unique_ptr<UploadSpool>> UploadSpool::open(SpoolOptions options) {
  HONE_CHECK(make_folder(options.folder));
  clean(options, true);
  return std::unique_ptr<UploadSpool>(new UploadSpool(std::move(options)));
}

const SpoolOptions& UploadSpool::options() const {
  return *options_;
}

Result<ArtifactUpload> UploadSpool::begin(std::string sha256, std::int64_t announced) {
  if (!is_sha256_hex(sha256)) {
    return fail(ErrorCode::invalid_argument,
                "an artifact is named by its SHA-256 in 64 lower-case hexadecimal digits");
  }
  if (announced > options_->max_bytes) {
    return fail(ErrorCode::too_large,
                "the artifact is larger than " + std::to_string(options_->max_bytes) + " bytes");
  }
  HONE_CHECK(check_room(announced));
  auto state = std::make_shared<ArtifactUpload::State>();
  state->gate = pool_->gate();
  state->options = options_;
  state->limit = options_->max_bytes;
  state->path = options_->folder / (options_->owner + "." + sha256 + "." + random_hex(8));
  state->sha256 = std::move(sha256);
  state->file =
      UniqueFd(::open(state->path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!state->file) {
    return disk_error(state->what(), errno);
  }
  return ArtifactUpload(std::move(state));
}

fs::path UploadSpool::path_of(const std::string& id) const {
  return partial_path(options_->folder, id);
}

// What was not sent to for a while, and beyond that the oldest. Those that somebody sends to are as
// many as connections, and stay: whoever goes on with one must find who sends.
void UploadSpool::forget_idle() {
  const SteadyClock::time_point now = SteadyClock::now();
  std::erase_if(partial_, [&](const auto& entry) {
    return entry.second.is_idle() && now - entry.second.state->heard_at > kKeepIdle;
  });
  auto idle = static_cast<std::size_t>(
      std::ranges::count_if(partial_, [](const auto& entry) { return entry.second.is_idle(); }));
  for (; idle > kMostIdle; --idle) {
    const auto oldest = std::ranges::min_element(partial_, {}, [](const auto& entry) {
      return std::pair(!entry.second.is_idle(), entry.second.state->heard_at);
    });
    partial_.erase(oldest);
  }
}

Async<ArtifactUpload> UploadSpool::resume(std::string id, std::string sha256,
                                          std::int64_t announced) {
  std::shared_ptr<ArtifactUpload::State> before;
  if (const auto found = partial_.find(id); found != partial_.end()) {
    before = found->second.state;
    if (!found->second.is_idle() && before->busy) {
      co_return fail(ErrorCode::conflict, "this upload's bytes are just being read or stored");
    }
    if (!found->second.is_idle() && SteadyClock::now() - before->heard_at < options_->silence) {
      co_return fail(ErrorCode::conflict, "another connection is sending this upload's bytes");
    }
  }
  HONE_CO_CHECK(check_room(announced - offset(id)));
  forget_idle();
  auto state = std::make_shared<ArtifactUpload::State>();
  state->gate = pool_->gate();
  state->options = options_;
  state->limit = announced;
  state->path = path_of(id);
  state->sha256 = std::move(sha256);
  state->removes_file = false;
  state->busy = true;
  ArtifactUpload upload(state);
  partial_[id] = Partial{state, upload.holder_};
  std::function<Result<std::int64_t>()> work = [before, state] {
    return state->open_partial(before.get());
  };
  const Result<std::int64_t> opened =
      co_await run_blocking<std::int64_t>(state->gate, std::move(work));
  state->busy = false;
  state->heard_at = SteadyClock::now();
  HONE_CO_TRY(state->known_size, opened);
  co_return upload;
}

Result<void> UploadSpool::check_room(std::int64_t bytes) const {
  return hone::check_room(options_->folder, bytes, options_->reserve_bytes);
}

std::int64_t UploadSpool::offset(const std::string& id) const {
  if (const auto found = partial_.find(id);
      found != partial_.end() && !found->second.is_idle() && found->second.state->known_size > 0) {
    // The file's length may be that of a piece half written.
    return found->second.state->known_size;
  }
  // Another coordinator may have gone on with it.
  struct stat status{};
  return ::stat(path_of(id).c_str(), &status) == 0 ? status.st_size : 0;
}

Async<bool> UploadSpool::drop(std::string id) {
  std::shared_ptr<ArtifactUpload::State> before;
  if (const auto found = partial_.find(id); found != partial_.end()) {
    before = found->second.state;
    if (!found->second.is_idle() && before->busy) {
      co_return false;
    }
    partial_.erase(found);
  }
  std::function<Result<bool>()> work = [before, path = path_of(id)]() -> Result<bool> {
    if (before != nullptr) {
      before->give_up();
    }
    const Result<UniqueFd> file =
        lock_partial(path, IfMissing::fail, "cannot remove " + path.string());
    if (!file) {
      const ErrorCode code = file.error().code;
      return code == ErrorCode::not_found || code == ErrorCode::conflict
                 ? Result<bool>(false)
                 : Result<bool>(file.error());
    }
    HONE_CHECK(remove_locked(path, *file));
    return true;
  };
  Result<bool> dropped = co_await run_blocking<bool>(pool_->gate(), std::move(work));
  co_return dropped;
}

Async<std::vector<std::string>> UploadSpool::partial_ids() {
  using Ids = std::vector<std::string>;
  std::function<Result<Ids>()> work = [folder = options_->folder]() -> Result<Ids> {
    Ids ids;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end;
         !error && entry != end && ids.size() < kMostListed; entry.increment(error)) {
      if (std::optional<std::string> id = partial_id(entry->path().filename().string())) {
        ids.push_back(*std::move(id));
      }
    }
    if (error) {
      return system_error("cannot list " + folder.string(), error.value());
    }
    return ids;
  };
  Result<Ids> ids = co_await run_blocking<Ids>(pool_->gate(), std::move(work));
  co_return ids;
}

Async<std::int64_t> UploadSpool::remove_old() {
  std::function<Result<std::int64_t>()> work = [options = options_]() -> Result<std::int64_t> {
    return clean(*options, false);
  };
  Result<std::int64_t> removed =
      co_await run_blocking<std::int64_t>(pool_->gate(), std::move(work));
  co_return removed;
}

}  // namespace hone
