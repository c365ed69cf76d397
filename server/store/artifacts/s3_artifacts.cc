#include "server/store/artifacts/s3_artifacts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/base/log.h"
#include "common/base/sha256.h"
#include "common/base/token.h"
#include "server/store/artifacts/disk_space.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Requests at once; who finds none free waits.
constexpr std::size_t kThreads = 8;
constexpr std::int64_t kMostParts = 9'000;  // of the 10,000 that S3 takes
constexpr std::int64_t kHashPiece = 1U << 20U;

Result<std::string> range_sha256(int file, std::int64_t offset, std::int64_t size) {
  Sha256 hash;
  std::string piece;
  for (std::int64_t at = 0; at < size;) {
    piece.resize(static_cast<std::size_t>(std::min(kHashPiece, size - at)));
    const ssize_t got = ::pread(file, piece.data(), piece.size(), offset + at);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return system_error("cannot read an upload's file", got < 0 ? errno : EIO);
    }
    hash.update({piece.data(), static_cast<std::size_t>(got)});
    at += got;
  }
  return hash.finish();
}

std::string encoded(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
        c == '.' || c == '_' || c == '~') {
      result += c;
    } else {
      result += '%';
      result += kDigits[byte >> 4U];
      result += kDigits[byte & 15U];
    }
  }
  return result;
}

}  // namespace

// What the pool's threads share. Blocking; thread safe but for the copies, which have a lock.
struct S3Artifacts::Core {
  explicit Core(S3ArtifactsOptions wanted) : options(std::move(wanted)), client(options.s3) {}

  Result<void> put(const std::string& sha256, const fs::path& file);
  Result<void> put_parts(const std::string& sha256, const fs::path& file, std::int64_t size);
  Result<void> complete(const std::string& key, const std::string& id,
                        const std::vector<std::string>& etags);
  // -1: not there.
  Result<std::int64_t> size_of(const std::string& sha256);
  Result<std::string> range(const std::string& sha256, std::int64_t offset, std::int64_t size);
  Result<fs::path> copy(const std::string& sha256);
  Result<void> download(const std::string& sha256, std::int64_t size, const fs::path& place);
  void make_room(std::int64_t wanted, const fs::path& keep);

  const S3ArtifactsOptions options;
  S3Client client;
  std::mutex copying;
};

Result<void> S3Artifacts::Core::put(const std::string& sha256, const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) {
    return system_error("cannot read " + file.string(), errno);
  }
  if (status.st_size > options.multipart_bytes) {
    HONE_CHECK(put_parts(sha256, file, status.st_size));
  } else {
    S3Request request;
    request.method = "PUT";
    request.key = artifact_key(sha256);
    request.headers = {"content-type: application/octet-stream"};
    request.file = file;
    request.size = status.st_size;
    request.body_sha256 = sha256;
    HONE_CHECK(client.send(request));
  }
  // Services that do not compare the hash would else keep half a file as a whole one.
  HONE_TRY(const std::int64_t size, size_of(sha256));
  if (size != status.st_size) {
    return fail(ErrorCode::unavailable, client.location().describe() + " holds " +
                                            std::to_string(size) + " bytes of artifact " + sha256 +
                                            ", which has " + std::to_string(status.st_size));
  }
  std::error_code ignored;
  fs::remove(file, ignored);  // the spool's sweep finds what stays
  return {};
}

Result<void> S3Artifacts::Core::put_parts(const std::string& sha256, const fs::path& file,
                                          std::int64_t size) {
  const UniqueFd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) {
    return system_error("cannot read " + file.string(), errno);
  }
  S3Request begin;
  begin.method = "POST";
  begin.key = artifact_key(sha256);
  begin.query = "uploads=";
  begin.headers = {"content-type: application/octet-stream"};
  HONE_TRY(const S3Answer begun, client.send(begin));
  const std::string id = xml_text(begun.body, "UploadId");
  if (id.empty()) {
    return fail(ErrorCode::unavailable,
                client.location().describe() + " begins no upload in parts");
  }
  const std::int64_t part_size = std::max(options.part_bytes, (size + kMostParts - 1) / kMostParts);
  std::vector<std::string> etags;
  Result<void> done;
  for (std::int64_t offset = 0; done && offset < size; offset += part_size) {
    S3Request part;
    part.method = "PUT";
    part.key = begin.key;
    part.query = "partNumber=" + std::to_string(etags.size() + 1) + "&uploadId=" + encoded(id);
    part.file = file;
    part.offset = offset;
    part.size = std::min(part_size, size - offset);
    const Result<std::string> hash = range_sha256(opened.get(), offset, part.size);
    if (!hash) {
      done = hash.error();
      break;
    }
    part.body_sha256 = *hash;
    const Result<S3Answer> sent = client.send(part);
    if (!sent) {
      done = sent.error();
    } else if (sent->etag.empty()) {
      done =
          fail(ErrorCode::unavailable, client.location().describe() + " gave no ETag for a part");
    } else {
      etags.push_back(sent->etag);
    }
  }
  if (done) {
    done = complete(begin.key, id, etags);
  }
  if (!done) {
    // Parts cost money until they are given up; a bucket's lifecycle rule gets what we cannot.
    S3Request abort;
    abort.method = "DELETE";
    abort.key = begin.key;
    abort.query = "uploadId=" + encoded(id);
    const Result<S3Answer> aborted = client.send(abort);
    if (!aborted && aborted.error().code != ErrorCode::not_found) {
      log_warning("s3_parts_left", {{"key", begin.key}, {"reason", aborted.error().message}});
    }
  }
  return done;
}

Result<void> S3Artifacts::Core::complete(const std::string& key, const std::string& id,
                                         const std::vector<std::string>& etags) {
  S3Request request;
  request.method = "POST";
  request.key = key;
  request.query = "uploadId=" + encoded(id);
  request.headers = {"content-type: application/xml"};
  request.body = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::size_t i = 0; i < etags.size(); ++i) {
    request.body += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" +
                    etags[i] + "</ETag></Part>";
  }
  request.body += "</CompleteMultipartUpload>";
  const Result<S3Answer> answer = client.send(request);
  if (!answer) {
    if (answer.error().code == ErrorCode::not_found) {
      // A try whose answer was lost may have completed it: the size, looked at next, tells.
      return {};
    }
    return answer.error();
  }
  // It begins to answer before it knows how it ends.
  const std::string code = xml_text(answer->body, "Code");
  if (!code.empty()) {
    return fail(ErrorCode::unavailable, client.location().describe() +
                                            " cannot complete an upload in parts: " + code + " " +
                                            xml_text(answer->body, "Message"));
  }
  return {};
}

Result<std::int64_t> S3Artifacts::Core::size_of(const std::string& sha256) {
  S3Request request;
  request.method = "HEAD";
  request.key = artifact_key(sha256);
  HONE_TRY(const S3Answer answer, client.send(request));
  if (answer.status == 404) {
    return -1;
  }
  if (answer.length < 0) {
    return fail(ErrorCode::unavailable,
                client.location().describe() + " does not say how long " + request.key + " is");
  }
  return answer.length;
}

Result<std::string> S3Artifacts::Core::range(const std::string& sha256, std::int64_t offset,
                                             std::int64_t size) {
  S3Request request;
  request.method = "GET";
  request.key = artifact_key(sha256);
  request.headers = {"range: bytes=" + std::to_string(offset) + "-" +
                     std::to_string(offset + size - 1)};
  request.answer_limit = static_cast<std::size_t>(size) + (std::size_t{64} << 10U);
  request.answer_size = size;
  HONE_TRY(S3Answer answer, client.send(request));
  return std::move(answer.body);
}

Result<void> S3Artifacts::Core::download(const std::string& sha256, std::int64_t size,
                                         const fs::path& place) {
  const UniqueFd file(::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) {
    return disk_error("cannot write " + place.string(), errno);
  }
  Sha256 hash;
  for (std::int64_t at = 0; at < size;) {
    HONE_TRY(const std::string piece, range(sha256, at, std::min(options.range_bytes, size - at)));
    if (::pwrite(file.get(), piece.data(), piece.size(), at) !=
        static_cast<ssize_t>(piece.size())) {
      return disk_error("cannot write " + place.string(), errno);
    }
    hash.update(piece);
    at += static_cast<std::int64_t>(piece.size());
  }
  if (hash.finish() != sha256) {
    return fail(ErrorCode::unavailable,
                client.location().describe() + " gave artifact " + sha256 +
                    " with another content: remove it there, and upload it again");
  }
  return {};
}

Result<fs::path> S3Artifacts::Core::copy(const std::string& sha256) {
  const std::lock_guard lock(copying);
  fs::path place = options.copies / sha256;
  std::error_code error;
  if (fs::exists(place, error)) {
    fs::last_write_time(place, fs::file_time_type::clock::now(), error);
    return place;
  }
  HONE_TRY(const std::int64_t size, size_of(sha256));
  if (size < 0) {
    return no_artifact(sha256);
  }
  make_room(size, place);
  HONE_CHECK(check_room(options.copies, size, options.reserve_bytes));
  const fs::path part = options.copies / ("part." + random_hex(8));
  Result<void> got = download(sha256, size, part);
  if (got && ::rename(part.c_str(), place.c_str()) != 0) {
    got = disk_error("cannot write " + place.string(), errno);
  }
  if (!got) {
    fs::remove(part, error);
    return got.error();
  }
  return place;
}

void S3Artifacts::Core::make_room(std::int64_t wanted, const fs::path& keep) {
  struct Copy {
    fs::file_time_type used;
    std::int64_t bytes;
    fs::path path;
  };
  std::vector<Copy> copies;
  std::int64_t total = wanted;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.copies, error)) {
    std::error_code gone;
    const auto bytes = static_cast<std::int64_t>(entry.file_size(gone));
    if (!gone) {
      copies.push_back({entry.last_write_time(gone), bytes, entry.path()});
      total += bytes;
    }
  }
  std::ranges::sort(copies, {}, &Copy::used);
  for (const Copy& copy : copies) {
    if (total <= options.copies_bytes) {
      return;
    }
    if (copy.path != keep && fs::remove(copy.path, error)) {
      total -= copy.bytes;
    }
  }
}

S3Artifacts::S3Artifacts(std::shared_ptr<Core> core) : core_(std::move(core)), pool_(kThreads) {}

S3Artifacts::~S3Artifacts() {
  core_->client.stop();
}

Result<std::unique_ptr<S3Artifacts>> S3Artifacts::open(S3ArtifactsOptions options) {
  HONE_CHECK(make_folder(options.copies));
  return std::unique_ptr<S3Artifacts>(new S3Artifacts(std::make_shared<Core>(std::move(options))));
}

std::string S3Artifacts::describe() const {
  return core_->client.location().describe();
}

Async<void> S3Artifacts::check() {
  std::function<Result<void>()> work = [core = core_]() -> Result<void> {
    // HEAD has no body that says why; no artifact has this name.
    S3Request request;
    request.method = "GET";
    request.key = "check";
    bool passing = false;
    const Result<S3Answer> answer = core->client.send(request, &passing);
    if (answer || answer.error().code == ErrorCode::not_found) {
      return {};
    }
    if (passing) {
      log_error("artifacts_out_of_order", {{"reason", answer.error().message}});
      return {};
    }
    return answer.error();
  };
  Result<void> checked = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return checked;
}

Async<void> S3Artifacts::keep(std::string sha256, fs::path file) {
  std::function<Result<void>()> work = [core = core_, sha256 = std::move(sha256),
                                        file = std::move(file)] { return core->put(sha256, file); };
  Result<void> kept = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return kept;
}

Async<bool> S3Artifacts::holds(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return false;
  }
  std::function<Result<bool>()> work = [core = core_,
                                        sha256 = std::move(sha256)]() -> Result<bool> {
    HONE_TRY(const std::int64_t size, core->size_of(sha256));
    return size >= 0;
  };
  Result<bool> held = co_await run_blocking<bool>(pool_.gate(), std::move(work));
  co_return held;
}

Async<ArtifactContent> S3Artifacts::read(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return no_artifact(sha256);
  }
  std::function<Result<std::int64_t>()> ask = [core = core_, sha256] {
    return core->size_of(sha256);
  };
  const Result<std::int64_t> found =
      co_await run_blocking<std::int64_t>(pool_.gate(), std::move(ask));
  HONE_CO_TRY(const std::int64_t size, found);
  if (size < 0) {
    co_return no_artifact(sha256);
  }
  ArtifactContent content;
  content.size_bytes = size;
  auto offset = std::make_shared<std::int64_t>(0);
  content.next = [core = core_, gate = pool_.gate(), sha256, size, offset]() {
    const std::int64_t count = std::min(core->options.range_bytes, size - *offset);
    std::function<Result<std::string>()> work = [core, sha256, at = *offset,
                                                 count]() -> Result<std::string> {
      if (count == 0) {
        return std::string();
      }
      return core->range(sha256, at, count);
    };
    *offset += count;
    return run_blocking<std::string>(gate, std::move(work));
  };
  co_return content;
}

Async<fs::path> S3Artifacts::local_file(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return no_artifact(sha256);
  }
  std::function<Result<fs::path>()> work = [core = core_, sha256 = std::move(sha256)] {
    return core->copy(sha256);
  };
  Result<fs::path> copied = co_await run_blocking<fs::path>(pool_.gate(), std::move(work));
  co_return copied;
}

Async<void> S3Artifacts::remove(std::string sha256) {
  std::function<Result<void>()> work = [core = core_,
                                        sha256 = std::move(sha256)]() -> Result<void> {
    S3Request request;
    request.method = "DELETE";
    request.key = artifact_key(sha256);
    const Result<S3Answer> removed = core->client.send(request);
    if (!removed && removed.error().code != ErrorCode::not_found) {
      return removed.error();
    }
    std::error_code ignored;  // the copy is only one
    fs::remove(core->options.copies / sha256, ignored);
    return {};
  };
  Result<void> removed = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return removed;
}

}  // namespace hone
