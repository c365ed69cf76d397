// Artifacts of the client: files named by the SHA-256 of their content.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/token.h"
#include "common/client/client.h"
#include "common/client/connection.h"

namespace hone {
namespace {

// Two gigabytes over a slow link; the client's own limit is for small requests.
constexpr std::chrono::milliseconds kTransferLimit{3'600'000};

// Larger files are sent in pieces of this size, each its own request.
constexpr std::size_t kResumableBytes = std::size_t{16} << 20U;

std::string artifact_path(std::string_view sha256) {
  return "/v1/artifacts/" + std::string(sha256);
}

Result<void> write_all(int file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return system_error("cannot write " + path.string(), errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// A file that is removed unless it was kept.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~PartFile() {
    if (!path_.empty()) {
      unlink(path_.c_str());
    }
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  Result<void> rename_to(const std::filesystem::path& target) {
    if (rename(path_.c_str(), target.c_str()) != 0) {
      return system_error("cannot write " + target.string(), errno);
    }
    path_.clear();
    return {};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

Result<void> Client::upload_file(const std::filesystem::path& path, std::string_view sha256,
                                 const std::stop_token& stop) const {
  if (!is_sha256_hex(sha256)) {
    return fail(ErrorCode::invalid_argument, "\"" + std::string(sha256) + "\" is no SHA-256");
  }
  WireRequest request;
  request.path = artifact_path(sha256);
  request.headers = headers_for({});
  request.method = "HEAD";
  const Result<Response> known = send(request, {}, true, options_.timeout, stop);
  if (known.has_value()) {
    return {};
  }
  if (known.error().code != ErrorCode::not_found) {
    return known.error();
  }
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown && size > kResumableBytes) {
    const Result<bool> uploaded =
        upload_resumably(path, sha256, static_cast<std::int64_t>(size), stop);
    if (!uploaded.has_value()) {
      return uploaded.error().within("uploading " + path.string());
    }
    if (*uploaded) {
      return {};
    }
  }
  request.method = "PUT";
  request.headers.push_back({"Content-Type", "application/octet-stream"});
  request.body_file = path;
  const Result<Response> sent = send(request, {}, true, kTransferLimit, stop);
  if (!sent.has_value()) {
    return sent.error().within("uploading " + path.string());
  }
  return {};
}

Result<void> Client::download_file(std::string_view sha256, const std::filesystem::path& path,
                                   std::uint64_t limit, const std::stop_token& stop) const {
  if (!is_sha256_hex(sha256)) {
    return fail(ErrorCode::invalid_argument, "\"" + std::string(sha256) + "\" is no SHA-256");
  }
  for (std::size_t tried = 1;; ++tried) {
    Result<void> got = download_once(sha256, path, limit, stop);
    if (got.has_value() || !is_lost(got.error()) || tried == endpoints_.size()) {
      return got;
    }
  }
}

Result<void> Client::download_once(std::string_view sha256, const std::filesystem::path& path,
                                   std::uint64_t limit, const std::stop_token& stop) const {
  std::filesystem::path part_path = path;
  part_path += ".part-" + random_hex(8);
  UniqueFd file(open(part_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) {
    return system_error("cannot write " + path.string(), errno);
  }
  PartFile part(part_path);

  Sha256 hash;
  std::uint64_t size = 0;
  const BodySink sink = [&](std::string_view piece) -> Result<bool> {
    size += piece.size();
    if (size > limit) {
      return fail(ErrorCode::too_large, "artifact " + std::string(sha256) + " is larger than " +
                                            std::to_string(limit) + " bytes");
    }
    hash.update(piece);
    HONE_CHECK(write_all(file.get(), piece, path));
    return true;
  };
  WireRequest request;
  request.method = "GET";
  request.path = artifact_path(sha256);
  request.headers = headers_for({});
  // Not repeated: pieces may have reached the file already.
  HONE_CHECK(send(request, sink, false, kTransferLimit, stop));
  if (hash.finish() != sha256) {
    return fail(ErrorCode::unavailable,
                "artifact " + std::string(sha256) + " arrived with another content");
  }
  if (fsync(file.get()) != 0) {
    return system_error("cannot write " + path.string(), errno);
  }
  file.reset();
  return part.rename_to(path);
}

}  // namespace hone
