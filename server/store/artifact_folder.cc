#include "server/store/artifact_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <new>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/sha256.h"
#include "common/base/token.h"

namespace hone {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

constexpr std::string_view kUploads = "uploads";

// Runs blocking work on the pool and resumes the coroutine where it was. `work` owns, or shares,
// all it uses: the coroutine may be destroyed meanwhile.
template <class T>
Async<T> on_disk_thread(asio::thread_pool& pool, std::function<Result<T>()> work) {
  auto initiate = [&pool, work = std::move(work)](auto handler) mutable {
    auto executor = asio::prefer(asio::get_associated_executor(handler),
                                 asio::execution::outstanding_work.tracked);
    asio::post(pool, [work = std::move(work), executor, handler = std::move(handler)]() mutable {
      Result<T> result = work();
      asio::post(executor, [handler = std::move(handler), result = std::move(result)]() mutable {
        std::move(handler)(std::move(result));
      });
    });
  };
  Result<T> result = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<T>)>(
      std::move(initiate), asio::use_awaitable);
  co_return result;
}

Error disk_error(const std::string& what, int reason) {
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) {
    return fail(ErrorCode::unavailable,
                what + ": the disk is full (or a quota or size limit is reached)");
  }
  return system_error(what, reason);
}

Error closed() {
  return fail(ErrorCode::unavailable, "the artifact folder was closed");
}

Result<void> sync_folder(const fs::path& folder) {
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) {
    return disk_error("cannot sync " + folder.string(), errno);
  }
  return {};
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return disk_error("cannot make " + folder.string(), error.value());
  }
  return {};
}

}  // namespace

struct ArtifactFolder::Shared {
  Shared(fs::path place, std::int64_t limit) : folder(std::move(place)), max_bytes(limit) {}
  fs::path path_of(std::string_view sha256) const { return folder / sha256.substr(0, 2) / sha256; }

  fs::path folder;
  std::int64_t max_bytes;
  asio::thread_pool* disk = nullptr;  // the folder's; none once it is gone
};

struct ArtifactUpload::State {
  ~State() {
    file.reset();
    if (!finished) {
      ::unlink(temporary.c_str());
    }
  }

  // Both run on the disk thread, one at a time.
  Result<void> append(std::string_view bytes);
  Result<std::int64_t> finish();

  std::shared_ptr<ArtifactFolder::Shared> folder;
  std::string sha256;
  fs::path temporary;
  UniqueFd file;
  Sha256 hash;
  std::int64_t size = 0;
  bool finished = false;
  bool failed = false;
};

Result<void> ArtifactUpload::State::append(std::string_view bytes) {
  if (failed || finished) {
    return fail(ErrorCode::conflict, "the upload is over");
  }
  failed = true;  // unless all goes well
  if (static_cast<std::uint64_t>(folder->max_bytes - size) < bytes.size()) {
    return fail(ErrorCode::too_large,
                "the artifact is larger than " + std::to_string(folder->max_bytes) + " bytes");
  }
  hash.update(bytes);
  size += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return disk_error("cannot store artifact " + sha256, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  failed = false;
  return {};
}

Result<std::int64_t> ArtifactUpload::State::finish() {
  if (failed || finished) {
    return fail(ErrorCode::conflict, "the upload is over");
  }
  failed = true;
  const std::string found = hash.finish();
  if (found != sha256) {
    Error error =
        fail(ErrorCode::invalid_argument, "the artifact has another content than announced");
    error.fields.push_back({"", "its SHA-256 is " + found + ", not " + sha256});
    return error;
  }
  // Some file systems tell only now that there is no room.
  if (::fsync(file.get()) != 0) {
    return disk_error("cannot store artifact " + sha256, errno);
  }
  const fs::path place = folder->path_of(sha256);
  HONE_CHECK(make_folder(place.parent_path()));
  if (::rename(temporary.c_str(), place.c_str()) != 0) {
    return disk_error("cannot store artifact " + sha256, errno);
  }
  finished = true;
  HONE_CHECK(sync_folder(place.parent_path()));
  return size;
}

ArtifactUpload::ArtifactUpload(std::shared_ptr<State> state) : state_(std::move(state)) {}
ArtifactUpload::ArtifactUpload(ArtifactUpload&&) noexcept = default;

ArtifactUpload::~ArtifactUpload() {
  if (state_ != nullptr && state_->folder->disk != nullptr) {
    // Closing and removing a large file takes its time too.
    try {
      asio::post(*state_->folder->disk, [state = state_] {});
    } catch (const std::bad_alloc&) {
      // Then it is done here and now, by the last owner of the state.
      return;
    }
  }
}

Async<void> ArtifactUpload::append(std::string_view bytes) {
  if (state_->folder->disk == nullptr) {
    co_return closed();
  }
  // A copy: should this coroutine be destroyed meanwhile, the disk thread still reads it.
  std::function<Result<void>()> work = [state = state_, text = std::string(bytes)] {
    return state->append(text);
  };
  Result<void> done = co_await on_disk_thread<void>(*state_->folder->disk, std::move(work));
  co_return done;
}

Async<std::int64_t> ArtifactUpload::finish() {
  if (state_->folder->disk == nullptr) {
    co_return closed();
  }
  std::function<Result<std::int64_t>()> work = [state = state_] { return state->finish(); };
  Result<std::int64_t> size =
      co_await on_disk_thread<std::int64_t>(*state_->folder->disk, std::move(work));
  co_return size;
}

// One thread: a disk gains little from more, and its uploads are in order.
ArtifactFolder::ArtifactFolder(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)), disk_(std::make_unique<asio::thread_pool>(1)) {
  shared_->disk = disk_.get();
}

ArtifactFolder::~ArtifactFolder() {
  disk_->join();
  shared_->disk = nullptr;
}

Result<std::unique_ptr<ArtifactFolder>> ArtifactFolder::open(fs::path folder,
                                                             std::int64_t max_bytes) {
  const fs::path uploads = folder / kUploads;
  std::error_code error;
  fs::remove_all(uploads, error);
  if (error) {
    return disk_error("cannot clear " + uploads.string(), error.value());
  }
  HONE_CHECK(make_folder(uploads));
  return std::unique_ptr<ArtifactFolder>(
      new ArtifactFolder(std::make_shared<Shared>(std::move(folder), max_bytes)));
}

std::int64_t ArtifactFolder::max_bytes() const {
  return shared_->max_bytes;
}

Result<ArtifactUpload> ArtifactFolder::begin(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    return fail(ErrorCode::invalid_argument,
                "an artifact is named by its SHA-256 in 64 lower-case hexadecimal digits");
  }
  auto state = std::make_shared<ArtifactUpload::State>();
  state->folder = shared_;
  state->temporary = shared_->folder / kUploads / (sha256 + "." + random_hex(8));
  state->sha256 = std::move(sha256);
  state->file =
      UniqueFd(::open(state->temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!state->file) {
    return disk_error("cannot store artifact " + state->sha256, errno);
  }
  return ArtifactUpload(std::move(state));
}

Result<ArtifactFile> ArtifactFolder::read(std::string_view sha256) const {
  const std::string missing = "no artifact '" + std::string(sha256) + "'";
  if (!is_sha256_hex(sha256)) {
    return fail(ErrorCode::not_found, missing);
  }
  const fs::path place = path_of(sha256);
  ArtifactFile artifact;
  artifact.file = UniqueFd(::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!artifact.file) {
    if (errno == ENOENT) {
      return fail(ErrorCode::not_found, missing);
    }
    return system_error("cannot open " + place.string(), errno);
  }
  struct stat status{};
  if (::fstat(artifact.file.get(), &status) != 0) {
    return system_error("cannot open " + place.string(), errno);
  }
  artifact.size_bytes = status.st_size;
  return artifact;
}

fs::path ArtifactFolder::path_of(std::string_view sha256) const {
  return shared_->path_of(sha256);
}

}  // namespace hone
