#include "server/store/artifacts/upload_spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <new>
#include <utility>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/sha256.h"
#include "common/base/token.h"
#include "server/store/artifacts/disk_space.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kDiskThreads = 4;
constexpr std::string_view kPartialSuffix = ".partial";
constexpr std::chrono::seconds kKeepIdle{60};  // partial uploads that nobody sends to
constexpr std::size_t kMostOpen = 64;
// How often an upload under way asks whether there is still room.
constexpr std::int64_t kRoomEveryBytes = std::int64_t{4} << 20U;

Result<void> write_all(int file, std::string_view bytes, const std::string& what) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return disk_error(what, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

std::int64_t age_seconds(const struct stat& status) {
  return static_cast<std::int64_t>(std::time(nullptr) - status.st_mtime);
}

// How many files were removed: of this owner all but partial ones if `own` is set, of others the
// old ones.
std::int64_t clean(const SpoolOptions& options, bool own) {
  std::int64_t removed = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.folder, error)) {
    const std::string name = entry.path().filename().string();
    struct stat status{};
    if (::lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      continue;
    }
    const bool partial = name.ends_with(kPartialSuffix);
    const bool ours = !partial && name.starts_with(options.owner + ".");
    const std::int64_t limit = partial ? options.partial_age.count() : options.foreign_age.count();
    if ((ours && own) || (!ours && age_seconds(status) > limit)) {
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

struct ArtifactUpload::State {
  ~State() {
    file.reset();
    if (removes_file) {
      ::unlink(path.c_str());
    }
  }

  // These run on a thread of the pool and hold the mutex.
  Result<std::int64_t> open_partial();  // gives the bytes that are there
  Result<void> append(std::string_view bytes);
  Result<void> verify();
  void give_up();

  std::string what() const { return "cannot store artifact " + sha256; }

  std::shared_ptr<BlockingGate> gate;
  std::shared_ptr<const SpoolOptions> options;
  std::string sha256;
  fs::path path;
  std::int64_t limit = 0;

  std::mutex mutex;  // of what follows, but for removes_file and heard_at
  UniqueFd file;
  Sha256 hash;
  std::int64_t size = 0;
  std::int64_t asked_for_room_at = 0;  // size then
  bool over = false;
  bool superseded = false;

  // Of the executor.
  bool removes_file = true;
  std::int64_t known_size = 0;
  SteadyClock::time_point heard_at = SteadyClock::now();
};

Result<std::int64_t> ArtifactUpload::State::open_partial() {
  const std::lock_guard lock(mutex);
  if (file && !over) {
    return size;  // as it was left
  }
  over = true;  // unless all goes well
  hash = Sha256();
  size = 0;
  file = UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) {
    return disk_error(what(), errno);
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    file.reset();
    return fail(ErrorCode::conflict, "another coordinator is receiving this upload");
  }
  std::array<char, 262'144> piece;
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return system_error(what(), errno);
    }
    if (got == 0) {
      break;
    }
    hash.update({piece.data(), static_cast<std::size_t>(got)});
    size += got;
  }
  if (size > limit) {
    // Never written by us: somebody else's hands.
    return fail(ErrorCode::io_failed, what() + ": its file is longer than announced");
  }
  asked_for_room_at = size;
  over = false;
  superseded = false;
  return size;
}

Result<void> ArtifactUpload::State::append(std::string_view bytes) {
  const std::lock_guard lock(mutex);
  if (superseded) {
    return fail(ErrorCode::conflict, "another connection goes on with this upload");
  }
  if (over) {
    return fail(ErrorCode::conflict, "the upload is over");
  }
  over = true;  // unless all goes well
  if (static_cast<std::uint64_t>(limit - size) < bytes.size()) {
    return fail(ErrorCode::too_large,
                "the artifact has more than " + std::to_string(limit) + " bytes, its limit");
  }
  const auto count = static_cast<std::int64_t>(bytes.size());
  if (size + count - asked_for_room_at >= kRoomEveryBytes) {
    HONE_CHECK(check_room(path.parent_path(), count, options->reserve_bytes));
    asked_for_room_at = size + count;
  }
  const Result<void> written = write_all(file.get(), bytes, what());
  if (!written) {
    // What was written of the piece is not in the hash: back to what is.
    if (::ftruncate(file.get(), size) != 0) {
      log_warning("upload_not_truncated", {{"sha256", sha256}});
    }
    return written;
  }
  hash.update(bytes);
  size += count;
  over = false;
  return {};
}

Result<void> ArtifactUpload::State::verify() {
  const std::lock_guard lock(mutex);
  if (over) {
    return fail(ErrorCode::conflict, "the upload is over");
  }
  over = true;
  const std::string found = hash.finish();
  if (found != sha256) {
    Error error =
        fail(ErrorCode::invalid_argument, "the artifact has another content than announced");
    error.fields.push_back({"", "its SHA-256 is " + found + ", not " + sha256});
    return error;
  }
  // Some file systems tell only now that there is no room.
  if (::fsync(file.get()) != 0) {
    return disk_error(what(), errno);
  }
  return {};
}

void ArtifactUpload::State::give_up() {
  const std::lock_guard lock(mutex);
  over = true;
  superseded = true;
  file.reset();  // and with it the lock on the file
}

ArtifactUpload::ArtifactUpload(std::shared_ptr<State> state) : state_(std::move(state)) {}
ArtifactUpload::ArtifactUpload(ArtifactUpload&&) noexcept = default;

ArtifactUpload::~ArtifactUpload() {
  if (state_ != nullptr && state_->gate->threads != nullptr) {
    // Closing and removing a large file takes its time too.
    try {
      boost::asio::post(*state_->gate->threads, [state = state_] {});
    } catch (const std::bad_alloc&) {
      // Then it is done here and now, by the last owner of the state.
      return;
    }
  }
}

std::int64_t ArtifactUpload::size() const {
  return state_->known_size;
}

const std::string& ArtifactUpload::sha256() const {
  return state_->sha256;
}

const fs::path& ArtifactUpload::file() const {
  return state_->path;
}

void ArtifactUpload::release() {
  state_->removes_file = false;
}

Async<void> ArtifactUpload::append(std::string_view bytes) {
  const auto count = static_cast<std::int64_t>(bytes.size());
  // A copy: should this coroutine be destroyed meanwhile, the thread still reads it.
  std::function<Result<void>()> work = [state = state_, text = std::string(bytes)] {
    return state->append(text);
  };
  const Result<void> done = co_await run_blocking<void>(state_->gate, std::move(work));
  HONE_CO_CHECK(done);
  state_->known_size += count;
  state_->heard_at = SteadyClock::now();
  co_return Result<void>();
}

Async<void> ArtifactUpload::verify() {
  std::function<Result<void>()> work = [state = state_] { return state->verify(); };
  Result<void> done = co_await run_blocking<void>(state_->gate, std::move(work));
  co_return done;
}

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

fs::path UploadSpool::partial_path(const std::string& id) const {
  return options_->folder / (id + std::string(kPartialSuffix));
}

// What was not sent to for a while, and beyond that the oldest: each holds a file open.
void UploadSpool::forget_idle() {
  const SteadyClock::time_point now = SteadyClock::now();
  std::erase_if(partial_, [&](const auto& entry) {
    return entry.second.holder.expired() && now - entry.second.state->heard_at > kKeepIdle;
  });
  while (partial_.size() >= kMostOpen) {
    const auto oldest = std::ranges::min_element(
        partial_, {}, [](const auto& entry) { return entry.second.state->heard_at; });
    partial_.erase(oldest);
  }
}

Async<ArtifactUpload> UploadSpool::resume(std::string id, std::string sha256,
                                          std::int64_t announced) {
  std::shared_ptr<ArtifactUpload::State> before;
  bool idle = true;
  if (const auto found = partial_.find(id); found != partial_.end()) {
    before = found->second.state;
    idle = found->second.holder.expired();
    if (!idle && SteadyClock::now() - before->heard_at < options_->silence) {
      co_return fail(ErrorCode::conflict, "another connection is sending this upload's bytes");
    }
  }
  HONE_CO_CHECK(check_room(announced - offset(id)));
  forget_idle();
  auto state = std::make_shared<ArtifactUpload::State>();
  state->gate = pool_->gate();
  state->options = options_;
  state->limit = announced;
  state->path = partial_path(id);
  state->sha256 = std::move(sha256);
  state->removes_file = false;
  if (idle && before != nullptr && before->limit == announced) {
    state = before;
  }
  ArtifactUpload upload(state);
  state->heard_at = SteadyClock::now();
  partial_[id] = Partial{state, upload.holder_};
  std::function<Result<std::int64_t>()> work = [before, state]() -> Result<std::int64_t> {
    if (before != nullptr && before != state) {
      before->give_up();
    }
    return state->open_partial();
  };
  const Result<std::int64_t> opened =
      co_await run_blocking<std::int64_t>(state->gate, std::move(work));
  HONE_CO_TRY(state->known_size, opened);
  state->heard_at = SteadyClock::now();
  co_return upload;
}

Result<void> UploadSpool::check_room(std::int64_t bytes) const {
  return hone::check_room(options_->folder, bytes, options_->reserve_bytes);
}

std::int64_t UploadSpool::offset(const std::string& id) const {
  if (const auto found = partial_.find(id);
      found != partial_.end() && found->second.state->known_size > 0) {
    // The file's length may be that of a piece half written.
    return found->second.state->known_size;
  }
  struct stat status{};
  return ::stat(partial_path(id).c_str(), &status) == 0 ? status.st_size : 0;
}

Async<void> UploadSpool::drop(std::string id) {
  std::shared_ptr<ArtifactUpload::State> before;
  if (const auto found = partial_.find(id); found != partial_.end()) {
    before = found->second.state;
    partial_.erase(found);
  }
  std::function<Result<void>()> work = [before, path = partial_path(id)]() -> Result<void> {
    if (before != nullptr) {
      before->give_up();
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return system_error("cannot remove " + path.string(), errno);
    }
    return {};
  };
  Result<void> dropped = co_await run_blocking<void>(pool_->gate(), std::move(work));
  co_return dropped;
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
