// One upload being written: its bytes in the file and in the hash.

#include <fcntl.h>
#include <sys/file.h>
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

}  // namespace

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
  HONE_CO_CHECK(done);
  state_->known_size += count;
  state_->heard_at = std::chrono::steady_clock::now();
  co_return Result<void>();
}

Async<void> ArtifactUpload::verify() {
  std::function<Result<void>()> work = [state = state_] { return state->verify(); };
  Result<void> done = co_await run_blocking<void>(state_->gate, std::move(work));
  co_return done;
}

}  // namespace hone
