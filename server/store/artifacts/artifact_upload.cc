// One upload being written: its bytes in the file and in the hash.

#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include "common/base/log.h"
#include "server/store/artifacts/disk_space.h"
#include "server/store/artifacts/upload_state.h"

namespace hone {
namespace {

// How often an upload under way asks whether there is still room.
constexpr std::int64_t kRoomEveryBytes = std::int64_t{4} << 20U;

Result<void> write_all_at(int file, std::int64_t offset, std::string_view bytes,
                          const std::string& what) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), offset);
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return disk_error(what, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
  return {};
}

}  // namespace

Result<std::int64_t> ArtifactUpload::State::open_partial(State* before) {
  const std::lock_guard lock(mutex);
  if (superseded) {
    return fail(ErrorCode::conflict, "another connection goes on with this upload");
  }
  over = true;  // unless all goes well
  if (before != nullptr) {
    take_over(*before);
  }
  HONE_TRY(file, lock_partial(path, IfMissing::make, what()));
  if (!hashed || !rested_at || stamp_of(file.get()) != rested_at) {
    HONE_CHECK(hash_file());
  }
  if (size > limit) {
    // Never written by us: somebody else's hands.
    return fail(ErrorCode::io_failed, what() + ": its file is longer than announced");
  }
  asked_for_room_at = size;
  over = false;
  return size;
}

void ArtifactUpload::State::take_over(State& before) {
  const std::lock_guard lock(before.mutex);
  before.over = true;
  before.superseded = true;
  const Result<void> closed = before.close_file();
  if (!closed) {
    log_warning("upload_not_closed", {{"sha256", sha256}, {"reason", closed.error().message}});
  }
  hashed = std::exchange(before.hashed, false);
  hash = std::move(before.hash);
  size = before.size;
  rested_at = before.rested_at;
}

Result<void> ArtifactUpload::State::hash_file() {
  hash = Sha256();
  hashed = false;
  size = 0;
  std::array<char, 262'144> piece;
  for (;;) {
    const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), size);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return system_error(what(), errno);
    }
    if (got == 0) {
      hashed = true;
      return {};
    }
    hash.update({piece.data(), static_cast<std::size_t>(got)});
    size += got;
  }
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
  const Result<void> written = write_all_at(file.get(), size, bytes, what());
  if (!written) {
    // What was written of the piece is not in the hash: back to what is.
    if (::ftruncate(file.get(), size) != 0) {
      hashed = false;
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
  hashed = false;  // a hash is finished once
  const std::string found = hash.finish();
  if (found != sha256) {
    Error error =
        fail(ErrorCode::invalid_argument, "the artifact has another content than announced");
    error.fields.push_back({"", "its SHA-256 is " + found + ", not " + sha256});
    return error;
  }
  // Some file systems tell only now that there is no room.
  if (::fsync(file.get()) != 0) {
    const Error error = disk_error(what(), errno);
    // The next fsync() would succeed, and reading would show what never came to the disk: whoever
    // goes on begins anew.
    if (::ftruncate(file.get(), 0) != 0) {
      log_warning("upload_not_truncated", {{"sha256", sha256}});
    }
    return error;
  }
  return {};
}

// Mutex held. Some file systems (NFS) write only now, and say only now that they cannot.
Result<void> ArtifactUpload::State::close_file() {
  if (!file) {
    return {};
  }
  rested_at = stamp_of(file.get());
  if (::close(file.release()) != 0 && errno != EINTR) {
    hashed = false;
    return disk_error(what(), errno);
  }
  return {};
}

Result<void> ArtifactUpload::State::rest() {
  const std::lock_guard lock(mutex);
  over = true;
  return close_file();
}

Result<void> ArtifactUpload::State::discard() {
  const std::lock_guard lock(mutex);
  over = true;
  hashed = false;
  if (!file) {
    return {};  // whoever took it over has it
  }
  Result<void> removed = remove_locked(path, file);
  file.reset();
  return removed;
}

void ArtifactUpload::State::give_up() {
  const std::lock_guard lock(mutex);
  over = true;
  superseded = true;
  hashed = false;
  file.reset();  // and with it the lock on the file
}

ArtifactUpload::ArtifactUpload(std::shared_ptr<State> state) : state_(std::move(state)) {}
ArtifactUpload::ArtifactUpload(ArtifactUpload&&) noexcept = default;

ArtifactUpload::~ArtifactUpload() {
  if (state_ == nullptr || state_->gate->threads == nullptr) {
    return;
  }
  const auto rest = [state = state_] {
    const Result<void> closed = state->rest();
    if (!closed) {
      log_warning("upload_not_closed",
                  {{"sha256", state->sha256}, {"reason", closed.error().message}});
    }
  };
  // Closing and removing a large file takes its time too.
  try {
    boost::asio::post(*state_->gate->threads, rest);
  } catch (const std::bad_alloc&) {
    rest();
  }
}

std::int64_t ArtifactUpload::size() const {
  return state_->known_size;
}

const std::string& ArtifactUpload::sha256() const {
  return state_->sha256;
}

const std::filesystem::path& ArtifactUpload::file() const {
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
  state_->heard_at = std::chrono::steady_clock::now();
  HONE_CO_CHECK(done);
  state_->known_size += count;
  co_return Result<void>();
}

Async<void> ArtifactUpload::verify() {
  state_->busy = true;  // to the end: now it is made an artifact
  std::function<Result<void>()> work = [state = state_] { return state->verify(); };
  Result<void> done = co_await run_blocking<void>(state_->gate, std::move(work));
  co_return done;
}

Async<void> ArtifactUpload::rest() {
  std::function<Result<void>()> work = [state = state_] { return state->rest(); };
  Result<void> done = co_await run_blocking<void>(state_->gate, std::move(work));
  co_return done;
}

Async<void> ArtifactUpload::discard() {
  std::function<Result<void>()> work = [state = state_] { return state->discard(); };
  Result<void> done = co_await run_blocking<void>(state_->gate, std::move(work));
  co_return done;
}

}  // namespace hone
